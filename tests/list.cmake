# SPDX-License-Identifier: MIT
# Every test program, a line each; tests/CMakeLists.txt says what the words mean. Add yours here.

# What continuous integration runs without the sanitizers (CDPSORT_TEST_PART): what is about time, the compiler or the memory of the whole
# process; and programs that reach few branches of src/ and device/ that the others do not reach. Those that stay for the sanitizers
# reach 98 of 100 branches that all of them reach.
set(CDPSORT_PLAIN_TESTS
  recursion_by_hand compiled memory_refused cuda_calls speed threads async bench_keys bench_models
  counted fallbacks multiway multiway_fallbacks plan refusals select short sort study study_depths top_keys trace)

# What must begin as a process does: the first call of a thread, kernels that were allowed nothing. Under the sanitizers all tests of another
# program share one process, for a new one is a quarter of a short test's time there.
set(CDPSORT_FORKING_TESTS device pairs_calls simulated_limits status)

# What tests share: keys and oracle, on the host and on the device; the rules of the simulated device; limits forced on sorts; the
# agreement of a trace with a study.
cdpsort_test_support(host_data host_data.c host_oracle.c tile_sizes.cpp)
cdpsort_test_support(simulated_rules simulated_rules.cpp)
cdpsort_test_support(forced_limits forced_limits.c)
cdpsort_test_support(trace_check trace_check.c)
cdpsort_test_support(memory_limits memory_limits.c)
cdpsort_test_support(public_calls public_calls.cpp call_trial.cpp calls_of_keys.cpp calls_of_rows.cpp calls_of_records.cpp calls_of_parts.cpp)
foreach(name forced_limits memory_limits public_calls)
  target_link_libraries(${name} PRIVATE cdpsort_check)
endforeach()
include(bench/data.cmake) # device_data
cdpsort_test(host_data FOLDER support SUPPORT host_data LABELS simulated)

# The simulated device itself.
foreach(name simulated_block simulated_collectives simulated_schedule simulated_limits simulated_pending)
  cdpsort_test(${name} FOLDER runtime STATIC LABELS simulated)
endforeach()

# The host side: what src/ does, by the simulated device.
cdpsort_test(status FOLDER host LABELS simulated)
foreach(name options device device_facts)
  cdpsort_test(${name} FOLDER host STATIC LABELS simulated)
endforeach()
cdpsort_test(call_steps FOLDER host STATIC LABELS simulated)
foreach(name read_bounds callbacks)
  cdpsort_test(${name} FOLDER host LABELS simulated)
endforeach()
if(NOT CDPSORT_SANITIZE) # it replaces malloc()
  cdpsort_test(memory_refused FOLDER host SUPPORT simulated_rules STATIC LABELS simulated)
endif()
if(CDPSORT_HAVE_CUDA AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13) # of other versions the runtime has other functions
  cdpsort_test(cuda_calls FOLDER host SOURCES support/fake_cuda.c support/fake_copies.c support/fake_answers.c STATIC LABELS simulated)
endif()
cdpsort_test(bitonic_sort FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(buckets FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(buckets_calls FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(compare FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(compare_calls FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(compiled FOLDER host STATIC LABELS simulated long)
cdpsort_test_property(SKIP_RETURN_CODE 77 compiled) # without NVRTC
cdpsort_test(pairs FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(wide_pairs FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(records FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(copies FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(ranges FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(ranges_calls FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(segments FOLDER host SUPPORT host_data STATIC LABELS simulated)
cdpsort_test(segment_copies FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(segments_calls FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(records_calls FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(carry FOLDER host SUPPORT host_data STATIC LABELS simulated)
cdpsort_test(pairs_calls FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(select FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(top_keys FOLDER host SUPPORT host_data LABELS simulated)
cdpsort_test(select_calls FOLDER host SUPPORT host_data LABELS simulated)
foreach(name sort allocator partition_calls)
  cdpsort_test(${name} FOLDER host SUPPORT host_data memory_limits LABELS simulated)
endforeach()
foreach(name async threads)
  cdpsort_test(${name} FOLDER host SUPPORT host_data LABELS simulated)
endforeach()
cdpsort_test(public_calls FOLDER host SUPPORT public_calls host_data simulated_rules STATIC LABELS simulated)
foreach(name study study_depths partition)
  cdpsort_test(${name} FOLDER host SUPPORT host_data simulated_rules STATIC LABELS simulated)
endforeach()
foreach(name trace trace_files)
  cdpsort_test(${name} FOLDER host SUPPORT host_data trace_check forced_limits simulated_rules STATIC LABELS simulated)
endforeach()

# What is decided before a kernel runs.
foreach(name plan plan_paths plan_excess plan_payload plan_select device_kinds)
  cdpsort_test(${name} FOLDER plan STATIC LABELS simulated)
endforeach()

# The recursion by hand, which is no part of the library.
include(${PROJECT_SOURCE_DIR}/device/runtime/simulated_program.cmake)
cdpsort_simulated_program(${PROJECT_SOURCE_DIR}/samples/02_recursion_by_hand/quicksort.cu quicksort)
cdpsort_test(recursion_by_hand FOLDER samples SOURCES ${quicksort} STATIC LABELS simulated)
set_source_files_properties(${quicksort} PROPERTIES COMPILE_DEFINITIONS main=quicksort_main)
if(NOT CDPSORT_SANITIZE AND TARGET test_recursion_by_hand)
  add_test(NAME planted_by_hand COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/samples/planted_by_hand.sh $<TARGET_FILE:cdpsort_static>)
  set_tests_properties(planted_by_hand PROPERTIES LABELS "simulated;long;planted" TIMEOUT 300 ENVIRONMENT
    "CMAKE=${CMAKE_COMMAND};CXX=${CMAKE_CXX_COMPILER};CHECK_LIBS=${CDPSORT_CHECK_LIBRARY} ${CDPSORT_SUBUNIT_LIBRARY} -lm -lrt -lpthread")
endif()

# The pieces that blocks are made of, each by itself.
foreach(name scan bitonic block_sort block_places merge splitters presorted on_chip multiway_sort pivot window)
  cdpsort_test(${name} FOLDER block SUPPORT host_data STATIC LABELS simulated)
endforeach()

# The recursion on the simulated device: each way to fail, many seeds, the time it takes.
foreach(name short short_equal behind mapped mapped_long misled counted)
  cdpsort_test(${name} FOLDER recursion SUPPORT host_data simulated_rules STATIC LABELS simulated TIMEOUT 600)
endforeach()
cdpsort_test(fallbacks FOLDER recursion SUPPORT host_data forced_limits simulated_rules STATIC LABELS simulated)
cdpsort_test(multiway_fallbacks FOLDER recursion SUPPORT host_data forced_limits simulated_rules STATIC LABELS simulated long
             TIMEOUT 600)
foreach(name multiway seeds refusals)
  cdpsort_test(${name} FOLDER recursion SUPPORT host_data simulated_rules STATIC LABELS simulated long TIMEOUT 600)
endforeach()
cdpsort_test(speed FOLDER recursion SUPPORT host_data LABELS simulated long)
cdpsort_test_property(RUN_SERIAL ON speed) # it is about time
cdpsort_test_property(COST 200 carry) # the longest
cdpsort_test_property(COST 50 mapped mapped_long public_calls buckets sort) # nearly as long
if(NOT CDPSORT_SANITIZE) # it builds its own, plain copies
  add_test(NAME planted_bugs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/recursion/planted_bugs.sh)
  # It hunts as many bugs at a time as there are processors, and so begins first and has them all.
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  set_tests_properties(planted_bugs PROPERTIES LABELS "simulated;long;planted" TIMEOUT 900 COST 1000 PROCESSORS ${processors} ENVIRONMENT
    "CDPSORT_JOBS=${processors};CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};CHECK_LIBS=${CDPSORT_CHECK_LIBRARY} ${CDPSORT_SUBUNIT_LIBRARY} -lm -lrt -lpthread")
endif()

# They are kernels compiled anew, which takes longer than to run them.
if(NOT CDPSORT_SANITIZE)
  foreach(source block/test_block_sort.cpp block/test_on_chip.cpp block/test_multiway_sort.cpp recursion/test_behind.cpp)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O1)
  endforeach()
endif()

# What the benchmark has of its own.
cdpsort_test(bench_guard FOLDER bench SOURCES bench/guard.cpp LABELS simulated)
if(TARGET test_bench_guard)
  target_include_directories(test_bench_guard PRIVATE bench)
endif()
cdpsort_test(bench_keys FOLDER bench SUPPORT device_data CUDART LABELS simulated)
cdpsort_test(bench_models FOLDER bench SUPPORT device_data CUDART LABELS simulated)

# The GPU: gpu_check.cpp has their main function and their checks. What they share is compiled once.
if(CDPSORT_HAVE_CUDA)
  cdpsort_test_support(gpu_check gpu_check.cpp)
  cdpsort_test_support(gpu_tables gpu_tables.cpp)
  cdpsort_test_support(gpu_calls gpu_calls.cpp)
  foreach(name gpu_check gpu_tables gpu_calls)
    target_link_libraries(${name} PRIVATE cdpsort_check device_data)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/gpu)
  endforeach()
endif()
foreach(name gpu_sort gpu_schemes gpu_multiway gpu_async gpu_on_stream gpu_first_capture gpu_first_pairs gpu_first_select
        gpu_pointers gpu_memory gpu_context gpu_partition gpu_buckets_order)
  cdpsort_test(${name} FOLDER gpu SUPPORT gpu_check device_data CUDART MEMCHECK LABELS gpu TIMEOUT 600)
endforeach()
cdpsort_test(gpu_short FOLDER gpu SUPPORT gpu_check device_data STATIC CUDART MEMCHECK LABELS gpu TIMEOUT 600)
cdpsort_test(gpu_fallbacks FOLDER gpu SUPPORT gpu_check device_data STATIC CUDART MEMCHECK LABELS gpu TIMEOUT 600)
cdpsort_test(gpu_trace FOLDER gpu SUPPORT gpu_check device_data trace_check CUDART MEMCHECK LABELS gpu TIMEOUT 600)
foreach(name gpu_key_order gpu_counted gpu_indices)
  cdpsort_test(${name} FOLDER gpu SUPPORT gpu_check device_data host_data CUDART MEMCHECK LABELS gpu TIMEOUT 600)
endforeach()
# Most of their time is the host's, which looks at the results: they run beside one another. In this order the four that run at a time take
# as long as one another.
foreach(name gpu_compare gpu_buckets gpu_pairs gpu_records gpu_compare_refused gpu_ranges gpu_segments gpu_select gpu_bitonic_refused
        gpu_segment_copies gpu_bitonic gpu_copies gpu_select_refused gpu_ranges_refused gpu_pairs_refused gpu_buckets_refused)
  cdpsort_test(${name} FOLDER gpu SUPPORT gpu_check gpu_tables device_data host_data CUDART MEMCHECK LABELS gpu beside
               TIMEOUT 600)
endforeach()
if(CDPSORT_HAVE_CUDA)
  add_library(sort_by_kinds OBJECT gpu/sort_by_kinds.cu)
  target_include_directories(sort_by_kinds PUBLIC gpu PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(sort_by_kinds SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  cdpsort_set_warnings(sort_by_kinds)
endif()
cdpsort_test(gpu_sort_by FOLDER gpu SUPPORT gpu_check gpu_tables sort_by_kinds device_data
             host_data CUDART MEMCHECK LABELS gpu beside TIMEOUT 600)
foreach(name gpu_calls gpu_calls_refused)
  cdpsort_test(${name} FOLDER gpu SUPPORT gpu_check gpu_tables gpu_calls public_calls
               sort_by_kinds device_data host_data CUDART MEMCHECK LABELS gpu beside TIMEOUT 600)
endforeach()
# Not under memcheck, which launches one kernel after another: these are about many at once.
cdpsort_test(gpu_many_sorts FOLDER gpu SUPPORT gpu_check device_data CUDART LABELS gpu TIMEOUT 600)
cdpsort_test(gpu_pending_limit FOLDER gpu SUPPORT gpu_check device_data CUDART LABELS gpu TIMEOUT 600)

cdpsort_test(gpu_calls_at_once FOLDER gpu SUPPORT gpu_check gpu_tables gpu_calls public_calls sort_by_kinds device_data host_data
             CUDART LABELS gpu TIMEOUT 600)

# The kernels that launch no other, and nothing else of the GPU, for racecheck and synccheck.
if(CDPSORT_HAVE_CUDA)
  add_library(host_kernels STATIC ${PROJECT_SOURCE_DIR}/device/runtime/cuda_engine.cu gpu/host_kernels/no_recursion.cpp
    $<TARGET_OBJECTS:cdpsort_host_static> $<TARGET_OBJECTS:cdpsort_simulated> $<TARGET_OBJECTS:cdpsort_cuda_host>)
  target_include_directories(host_kernels PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/device)
  target_compile_definitions(host_kernels PRIVATE CDPSORT_HOST_LAUNCHES)
  target_link_libraries(host_kernels PUBLIC cdpsort_cuda_map ${CDPSORT_BOOST_CONTEXT} ${CDPSORT_STATIC_LIBRARIES})
  set_target_properties(host_kernels PROPERTIES EXCLUDE_FROM_ALL ON)
  cdpsort_set_warnings(host_kernels)
endif()
cdpsort_test(gpu_host_kernels FOLDER gpu SUPPORT gpu_check gpu_tables gpu_calls public_calls sort_by_kinds device_data host_data
             LIBRARY host_kernels CUDART RACECHECK LABELS gpu beside TIMEOUT 600)

# Wants an MPS daemon, which tests/gpu_run.sh starts.
cdpsort_test(gpu_mps FOLDER gpu SUPPORT gpu_check gpu_tables device_data host_data CUDART LABELS mps TIMEOUT 600)

# Sorts of all kinds at random, for as long as one likes: build/bin/soak --help. As a test, a few seconds.
if(CDPSORT_HAVE_CUDA)
  find_package(Threads REQUIRED)
  cdpsort_test_program(soak SHARED gpu/soak/soak.cpp gpu/soak/board.cpp gpu/soak/other_work.cpp
                       gpu/soak/random_sort.cpp gpu/soak/worker.cpp
                       ${PROJECT_SOURCE_DIR}/samples/shared/command_line.c)
  set_target_properties(soak PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(soak PRIVATE ${PROJECT_SOURCE_DIR}/samples/shared)
  target_link_libraries(soak PRIVATE device_data CUDA::cudart_static Threads::Threads)
  add_test(NAME soak COMMAND soak --seconds 10 --threads 4)
  set_tests_properties(soak PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77 RESOURCE_LOCK "${CDPSORT_GPU_LOCKS}")
endif()

# Graphs with a sort in them, replayed again and again, checked and timed: build/bin/graph_replays --help. As a test, few times.
if(CDPSORT_HAVE_CUDA)
  cdpsort_test_program(graph_replays SHARED gpu/graph_replays/graph_replays.cu ${PROJECT_SOURCE_DIR}/samples/shared/command_line.c)
  set_target_properties(graph_replays PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(graph_replays PRIVATE ${PROJECT_SOURCE_DIR}/samples/shared)
  target_link_libraries(graph_replays PRIVATE device_data CUDA::cudart_static)
  add_test(NAME graph_replays COMMAND graph_replays --replays 50 --max-count 2^24)
  set_tests_properties(graph_replays PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77 RESOURCE_LOCK "${CDPSORT_GPU_LOCKS}")
endif()

# The header for others' kernels, as such a program has it: nothing of the library is linked.
if(CDPSORT_HAVE_CUDA)
  add_executable(device_header gpu/device_header/device_header.cu)
  set_target_properties(device_header PROPERTIES CUDA_RUNTIME_LIBRARY Static RUNTIME_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(device_header PRIVATE ${PROJECT_SOURCE_DIR}/include)
  cdpsort_set_warnings(device_header)
  add_test(NAME device_header COMMAND device_header)
  set_tests_properties(device_header PROPERTIES LABELS gpu TIMEOUT 300 SKIP_RETURN_CODE 77 RESOURCE_LOCK "${CDPSORT_GPU_LOCKS}")
endif()

# Measured by hand, and so not made with the rest: what the hooks of study.h cost when nobody uses them. It has kernels of its own
# beside the shared library's, and the plan of a sort, which the library keeps to itself.
if(CDPSORT_HAVE_CUDA)
  add_executable(hooks_cost EXCLUDE_FROM_ALL gpu/hooks_cost/hooks_cost.cpp gpu/hooks_cost/with_hooks.cu
                 gpu/hooks_cost/without_hooks.cu ${PROJECT_SOURCE_DIR}/src/options.c ${PROJECT_SOURCE_DIR}/src/status.c
                 ${PROJECT_SOURCE_DIR}/device/engine.cpp ${PROJECT_SOURCE_DIR}/device/plan.cpp)
  set_target_properties(hooks_cost PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RUNTIME_LIBRARY Static)
  target_include_directories(hooks_cost PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/device)
  target_compile_options(hooks_cost PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=64>
                         $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-pragmas>) # #pragma unroll is nvcc's
  target_link_libraries(hooks_cost PRIVATE cdpsort CUDA::cudart_static)
  cdpsort_set_warnings(hooks_cost)
endif()
