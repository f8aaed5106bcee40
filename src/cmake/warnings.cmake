# SPDX-License-Identifier: MIT
# cdpsort_set_warnings(TARGET...): the warnings that our own code is free of; errors with CDPSORT_WERROR.
function(cdpsort_set_warnings)
  set(strict -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  # nvcc writes code of its own for the host compiler, to which the stricter ones would not be fair.
  set(nvcc -Xcompiler=-Wall,-Wextra -Wno-deprecated-gpu-targets)
  if(CDPSORT_WERROR)
    list(APPEND strict -Werror)
    list(APPEND nvcc "SHELL:--Werror all-warnings")
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${strict}>" "$<$<COMPILE_LANGUAGE:CUDA>:${nvcc}>")
  endforeach()
endfunction()
