# SPDX-License-Identifier: MIT
# Keys made and judged on the device: objects that the benchmark and the GPU tests share, whichever of them is built. CUDA only.
if(CDPSORT_HAVE_CUDA AND NOT TARGET device_data)
  add_library(device_data OBJECT ${CMAKE_CURRENT_LIST_DIR}/device_keys.cu ${CMAKE_CURRENT_LIST_DIR}/device_oracle.cu)
  target_include_directories(device_data PUBLIC ${CMAKE_CURRENT_LIST_DIR} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(device_data SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  cdpsort_set_warnings(device_data)
endif()
