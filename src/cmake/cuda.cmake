# SPDX-License-Identifier: MIT
# Finds the CUDA toolkit, chooses architectures and enables the language. Sets CDPSORT_HAVE_CUDA.
#
# A toolkit that is there and does not work ends the configuration: a library that quietly lost its GPU would be worse.
set(CDPSORT_HAVE_CUDA OFF CACHE INTERNAL "CUDA is built in; tests/run.sh reads it")
set(CDPSORT_MIN_CUDA 12.0) # the first with cudaStreamFireAndForget and cudaStreamTailLaunch

# Sets CMAKE_CUDA_COMPILER, unless the caller or CUDACXX names one; leaves it empty where there is none.
function(cdpsort_find_nvcc)
  if(CMAKE_CUDA_COMPILER)
    return()
  endif()
  if(DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER $ENV{CUDACXX} CACHE FILEPATH "CUDA compiler")
    return()
  endif()
  find_program(CDPSORT_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin
               DOC "nvcc, looked for where CMAKE_CUDA_COMPILER and CUDACXX are not set")
  if(CDPSORT_NVCC)
    set(CMAKE_CUDA_COMPILER ${CDPSORT_NVCC} CACHE FILEPATH "CUDA compiler")
  endif()
endfunction()

function(cdpsort_nvcc_version result)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT said MATCHES "release ([0-9]+\\.[0-9]+)")
    message(FATAL_ERROR "cdpsort: ${CMAKE_CUDA_COMPILER} was found and does not work:\n${said}\n"
                        "Mend it, or build for the simulated device alone: CDPSORT_CUDA=OFF in the environment of the "
                        "scripts, -DCDPSORT_CUDA=OFF for cmake.")
  endif()
  set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# The GPU of this machine if there is one; otherwise what the toolkit knows, and PTX for what came after it.
function(cdpsort_choose_architectures toolkit result)
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE code)
  if(gpus MATCHES "^GPU 0" OR (NOT code EQUAL 0 AND EXISTS /dev/nvidia0))
    set(${result} native PARENT_SCOPE)
  elseif(toolkit VERSION_GREATER_EQUAL 13)
    # A newer device runs an older one's code if it has as much shared memory (device/tuning_kinds.h, DeviceKind). What is made for 80
    # is too large for 86; what is made for 86 runs on 87 and 89, too. What is made for 100 runs as PTX on 110, and is too large
    # for 120.
    set(${result} 75-real 80-real 86-real 90-real 100 120 PARENT_SCOPE)
  else()
    set(${result} 70-real 80-real 86-real 90 PARENT_SCOPE)
  endif()
endfunction()

macro(cdpsort_enable_cuda)
  cdpsort_nvcc_version(cdpsort_toolkit)
  if(cdpsort_toolkit VERSION_LESS CDPSORT_MIN_CUDA AND CDPSORT_CUDA STREQUAL "AUTO")
    message(STATUS "cdpsort: CUDA ${cdpsort_toolkit} is too old (${CDPSORT_MIN_CUDA} is needed): the simulated device alone")
  elseif(cdpsort_toolkit VERSION_LESS CDPSORT_MIN_CUDA)
    message(FATAL_ERROR "cdpsort: CUDA ${cdpsort_toolkit} is too old: ${CDPSORT_MIN_CUDA} is needed")
  else()
    if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      cdpsort_choose_architectures(${cdpsort_toolkit} CMAKE_CUDA_ARCHITECTURES)
    endif()
    message(STATUS "cdpsort: CUDA ${cdpsort_toolkit} (${CMAKE_CUDA_COMPILER}); CDPSORT_CUDA=OFF builds without it")
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    message(STATUS "cdpsort: CUDA architectures: ${CMAKE_CUDA_ARCHITECTURES}")
    set(CDPSORT_HAVE_CUDA ON CACHE INTERNAL "")
  endif()
endmacro()

if(CDPSORT_CUDA STREQUAL "AUTO" OR CDPSORT_CUDA)
  cdpsort_find_nvcc()
  if(CMAKE_CUDA_COMPILER)
    cdpsort_enable_cuda()
  elseif(CDPSORT_CUDA STREQUAL "AUTO")
    message(STATUS "cdpsort: no CUDA toolkit found: the simulated device alone")
  else()
    message(FATAL_ERROR "cdpsort: CDPSORT_CUDA=ON, and no nvcc was found; set CMAKE_CUDA_COMPILER to its path")
  endif()
else()
  message(STATUS "cdpsort: without CUDA, as asked for: the simulated device alone")
endif()
