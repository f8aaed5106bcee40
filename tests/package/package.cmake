# SPDX-License-Identifier: MIT
# Tests of what a user gets: headers that stand alone, and whose examples are right, exported symbols, an installation that an
# outside project builds with, and the samples.
set(shell_tests "")

# Every public header compiles alone, as C11 and as C++17.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/cdpsort/*.h)
foreach(header IN LISTS headers)
  cmake_path(GET header STEM stem)
  add_test(NAME header_${stem}_c11 COMMAND ${CMAKE_C_COMPILER} -x c -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only
           -I ${PROJECT_SOURCE_DIR}/include -include ${header} /dev/null)
  add_test(NAME header_${stem}_cpp17 COMMAND ${CMAKE_CXX_COMPILER} -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror
           -fsyntax-only -I ${PROJECT_SOURCE_DIR}/include -include ${header} /dev/null)
  list(APPEND shell_tests header_${stem}_c11 header_${stem}_cpp17)
endforeach()

# The shared library as a process gets it that is not linked with it. Such a process has no room set aside for thread-locals.
add_executable(load_library package/dlopen/load.c)
set_target_properties(load_library PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/tests)
target_include_directories(load_library PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(load_library PRIVATE ${CMAKE_DL_LIBS} pthread)
cdpsort_set_warnings(load_library)
add_dependencies(load_library cdpsort)
add_test(NAME dlopen COMMAND load_library $<TARGET_FILE:cdpsort>)
add_test(NAME static_tls COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/dlopen/static_tls.sh $<TARGET_FILE:cdpsort>)
list(APPEND shell_tests dlopen static_tls)
if(NOT CDPSORT_SANITIZE) # a sanitized library cannot be loaded by a program that is not
  add_test(NAME python COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/dlopen/python.sh $<TARGET_FILE:cdpsort>)
  set_tests_properties(python PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT CDPSORT_DEVICE=simulated)
  list(APPEND shell_tests python)
endif()

if(NOT CDPSORT_SANITIZE) # a sanitized library exports its sanitizer's symbols, and wants programs built like itself
  # The examples in the headers' comments.
  add_test(NAME header_examples COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/documents/check_examples.py $<TARGET_FILE:cdpsort>
           ${CMAKE_C_COMPILER})
  list(APPEND shell_tests header_examples)

  add_test(NAME symbols COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/symbols.sh ${CMAKE_NM} $<TARGET_FILE:cdpsort>
           ${PROJECT_SOURCE_DIR}/include/cdpsort)

  add_library(plugin SHARED package/plugin.c)
  target_link_libraries(plugin PRIVATE cdpsort::cdpsort_static)
  set_target_properties(plugin PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/tests)
  add_test(NAME static_symbols COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/static_symbols.sh ${CMAKE_NM} $<TARGET_FILE:cdpsort_static>
           $<TARGET_FILE:plugin>)
  list(APPEND shell_tests static_symbols)

  # An outside project, found through either package, with either library.
  set(consumer sh ${CMAKE_CURRENT_LIST_DIR}/consumer/check.sh)
  set(prefix ${CMAKE_CURRENT_BINARY_DIR}/prefix)
  add_test(NAME install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
  set_tests_properties(install PROPERTIES FIXTURES_SETUP installation)
  foreach(way cmake pkg-config)
    foreach(library shared static)
      add_test(NAME consumer_${way}_${library}
               COMMAND ${consumer} ${way} ${library} ${prefix} ${CMAKE_INSTALL_LIBDIR}
                       ${CMAKE_CURRENT_BINARY_DIR}/consumer_${way}_${library} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
      set_tests_properties(consumer_${way}_${library} PROPERTIES FIXTURES_REQUIRED installation
                           ENVIRONMENT CDPSORT_DEVICE=simulated)
      list(APPEND shell_tests consumer_${way}_${library})
    endforeach()
  endforeach()
  # A kernel of somebody else's, by the installed header for kernels.
  if(CDPSORT_HAVE_CUDA)
    add_test(NAME consumer_kernels
             COMMAND ${CMAKE_CUDA_COMPILER} -std=c++17 -arch=sm_90 --Ofast-compile=max --Werror all-warnings -I ${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
                     -c ${CMAKE_CURRENT_SOURCE_DIR}/gpu/device_header/device_header.cu -o ${CMAKE_CURRENT_BINARY_DIR}/consumer_kernels.o)
    set_tests_properties(consumer_kernels PROPERTIES FIXTURES_REQUIRED installation)
    list(APPEND shell_tests consumer_kernels)
  endif()
  # The program in C, as a project of C that has this one as a part.
  add_test(NAME consumer_fetched
           COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/consumer/fetched.sh ${PROJECT_SOURCE_DIR}
                   ${CMAKE_CURRENT_BINARY_DIR}/consumer_fetched ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
  set_tests_properties(consumer_fetched PROPERTIES ENVIRONMENT CDPSORT_DEVICE=simulated)
  list(APPEND shell_tests symbols install consumer_fetched)
endif()
if(CDPSORT_HAVE_CUDA)
  add_test(NAME kernels COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/kernels.sh ${CMAKE_NM} ${CMAKE_AR} ${CMAKE_READELF}
           $<TARGET_FILE:cdpsort_static> ${PROJECT_SOURCE_DIR}/device)
  list(APPEND shell_tests kernels)
endif()
set_tests_properties(${shell_tests} PROPERTIES LABELS "package;simulated" TIMEOUT 120)

if(TARGET samples)
  include(samples/samples.cmake)
endif()
