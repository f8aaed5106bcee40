# SPDX-License-Identifier: MIT
# Every test program, a line each; tests/CMakeLists.txt says what the words mean. Add yours here.

# What tests share: keys and oracle, on the host and on the device.
cdpsort_test_support(host_data host_data.c host_oracle.c tile_sizes.cpp)
include(${PROJECT_SOURCE_DIR}/samples/bench/data.cmake) # device_data

# The oracle, and the simulated device itself.
cdpsort_test(host_data SUPPORT host_data LABELS simulated)
cdpsort_test(simulated_block SOURCES test_simulated_block.cpp STATIC LABELS simulated)
cdpsort_test(simulated_schedule SOURCES test_simulated_schedule.cpp STATIC LABELS simulated)
cdpsort_test(simulated_limits SOURCES test_simulated_limits.cpp STATIC LABELS simulated)
cdpsort_test(simulated_pending SOURCES test_simulated_pending.cpp STATIC LABELS simulated)

# The host side.
cdpsort_test(options STATIC LABELS simulated)
cdpsort_test(status LABELS simulated)
cdpsort_test(device STATIC LABELS simulated)
cdpsort_test(device_facts STATIC LABELS simulated)
cdpsort_test(device_kinds SOURCES test_device_kinds.cpp STATIC LABELS simulated)
cdpsort_test(plan STATIC LABELS simulated)
cdpsort_test(plan_paths STATIC LABELS simulated)
cdpsort_test(sort SUPPORT host_data LABELS simulated)
cdpsort_test(allocator SUPPORT host_data LABELS simulated)
cdpsort_test(async SUPPORT host_data LABELS simulated)
cdpsort_test(study SOURCES test_study.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated)
cdpsort_test(trace SOURCES test_trace.c trace_check.c forced_limits.c simulated_rules.cpp SUPPORT host_data STATIC
             LABELS simulated)
cdpsort_test(partition SOURCES test_partition.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated)
cdpsort_test(threads SUPPORT host_data LABELS simulated)

# The recursion on the simulated device: each way to fail, a thousand seeds, the time it takes.
cdpsort_test(fallbacks SOURCES test_fallbacks.c forced_limits.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated)
cdpsort_test(multiway_fallbacks SOURCES test_multiway_fallbacks.c forced_limits.c simulated_rules.cpp SUPPORT host_data STATIC
             LABELS simulated long TIMEOUT 600)
foreach(name scan bitonic merge splitters presorted on_chip)
  cdpsort_test(${name} SOURCES block/test_${name}.cpp SUPPORT host_data STATIC LABELS simulated)
endforeach()
cdpsort_test(pivot SOURCES test_pivot.cpp STATIC LABELS simulated)
cdpsort_test(multiway_sort SOURCES test_multiway_sort.cpp STATIC LABELS simulated)
cdpsort_test(short SOURCES test_short.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated)
cdpsort_test(misled SOURCES test_misled.cpp simulated_rules.cpp STATIC LABELS simulated)
cdpsort_test(mapped SOURCES test_mapped.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated)
cdpsort_test(multiway SOURCES test_multiway.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated long TIMEOUT 600)
cdpsort_test(seeds SOURCES test_seeds.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated long)
cdpsort_test(refusals SOURCES test_refusals.c simulated_rules.cpp SUPPORT host_data STATIC LABELS simulated long)
cdpsort_test(speed SUPPORT host_data LABELS simulated long)
set_tests_properties(speed PROPERTIES RUN_SERIAL ON) # it is about time
if(NOT CDPSORT_SANITIZE) # it builds its own, plain copies
  add_test(NAME planted_bugs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/planted_bugs.sh)
  # It hunts as many bugs at a time as there are processors, and so begins first and has them all.
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  set_tests_properties(planted_bugs PROPERTIES LABELS "simulated;long" TIMEOUT 900 COST 1000 PROCESSORS ${processors} ENVIRONMENT
    "CDPSORT_JOBS=${processors};CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};CHECK_LIBS=${CDPSORT_CHECK_LIBRARY} ${CDPSORT_SUBUNIT_LIBRARY} -lm -lrt -lpthread")
endif()

# What samples/bench has of its own.
cdpsort_test(bench_guard SOURCES test_bench_guard.cpp ${PROJECT_SOURCE_DIR}/samples/bench/guard.cpp LABELS simulated)
target_include_directories(test_bench_guard PRIVATE ${PROJECT_SOURCE_DIR}/samples/bench)
cdpsort_test(bench_keys SOURCES test_bench_keys.cpp SUPPORT device_data CUDART LABELS simulated)
cdpsort_test(bench_models SOURCES test_bench_models.cpp SUPPORT device_data CUDART LABELS simulated)

# The GPU: gpu_check.cpp is their main function and their checks.
foreach(name gpu_sort gpu_schemes gpu_multiway gpu_async gpu_first_capture gpu_pointers gpu_context gpu_partition)
  cdpsort_test(${name} SOURCES test_${name}.cpp gpu_check.cpp SUPPORT device_data CUDART MEMCHECK LABELS gpu TIMEOUT 600)
endforeach()
cdpsort_test(gpu_short SOURCES test_gpu_short.cpp gpu_check.cpp SUPPORT device_data STATIC CUDART MEMCHECK LABELS gpu
             TIMEOUT 600)
cdpsort_test(gpu_fallbacks SOURCES test_gpu_fallbacks.cpp gpu_check.cpp SUPPORT device_data STATIC CUDART MEMCHECK LABELS gpu
             TIMEOUT 600)
cdpsort_test(gpu_trace SOURCES test_gpu_trace.cpp gpu_check.cpp trace_check.c SUPPORT device_data CUDART MEMCHECK LABELS gpu
             TIMEOUT 600)
cdpsort_test(gpu_key_order SOURCES test_gpu_key_order.cpp gpu_check.cpp SUPPORT device_data host_data CUDART MEMCHECK LABELS gpu
             TIMEOUT 600)
# Not under memcheck, which launches one kernel after another: these are about many at once.
cdpsort_test(gpu_many_sorts SOURCES test_gpu_many_sorts.cpp gpu_check.cpp SUPPORT device_data CUDART LABELS gpu TIMEOUT 600)
cdpsort_test(gpu_pending_limit SOURCES test_gpu_pending_limit.cpp gpu_check.cpp SUPPORT device_data CUDART LABELS gpu TIMEOUT 600)

# Wants an MPS daemon, which tests/gpu_run.sh starts.
cdpsort_test(gpu_mps SOURCES test_gpu_mps.cpp gpu_check.cpp SUPPORT device_data CUDART LABELS mps TIMEOUT 600)

# Sorts of all kinds at random, for as long as one likes: build/bin/soak --help. As a test, a few seconds.
if(CDPSORT_HAVE_CUDA)
  find_package(Threads REQUIRED)
  cdpsort_test_program(soak SHARED soak/soak.cpp soak/board.cpp soak/random_sort.cpp soak/worker.cpp
                       ${PROJECT_SOURCE_DIR}/samples/command_line.c)
  set_target_properties(soak PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(soak PRIVATE ${PROJECT_SOURCE_DIR}/samples)
  target_link_libraries(soak PRIVATE device_data CUDA::cudart_static Threads::Threads)
  add_test(NAME soak COMMAND soak --seconds 10 --threads 4)
  set_tests_properties(soak PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu)
endif()

# Graphs with a sort in them, replayed again and again, checked and timed: build/bin/graph_replays --help. As a test, few times.
if(CDPSORT_HAVE_CUDA)
  cdpsort_test_program(graph_replays SHARED graph_replays/graph_replays.cu ${PROJECT_SOURCE_DIR}/samples/command_line.c)
  set_target_properties(graph_replays PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(graph_replays PRIVATE ${PROJECT_SOURCE_DIR}/samples)
  target_link_libraries(graph_replays PRIVATE device_data CUDA::cudart_static)
  add_test(NAME graph_replays COMMAND graph_replays --replays 50 --max-count 2^24)
  set_tests_properties(graph_replays PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu)
endif()

# Measured by hand, and so not made with the rest: what the hooks of study.h cost when nobody uses them. It has kernels of its own
# beside the shared library's, and the plan of a sort, which the library keeps to itself.
if(CDPSORT_HAVE_CUDA)
  add_executable(hooks_cost EXCLUDE_FROM_ALL hooks_cost/hooks_cost.cpp hooks_cost/with_hooks.cu hooks_cost/without_hooks.cu
                 ${PROJECT_SOURCE_DIR}/src/options.c ${PROJECT_SOURCE_DIR}/src/status.c
                 ${PROJECT_SOURCE_DIR}/device/engine.cpp ${PROJECT_SOURCE_DIR}/device/plan.cpp)
  set_target_properties(hooks_cost PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RUNTIME_LIBRARY Static)
  target_include_directories(hooks_cost PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/device)
  target_compile_options(hooks_cost PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=64>
                         $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-pragmas>) # #pragma unroll is nvcc's
  target_link_libraries(hooks_cost PRIVATE cdpsort CUDA::cudart_static)
  cdpsort_set_warnings(hooks_cost)
endif()
