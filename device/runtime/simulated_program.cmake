# SPDX-License-Identifier: MIT
# Makes C++ of a CUDA program, for the simulated device. simulated_program.h says what is written in another way.
#
#     cdpsort_simulated_program(<source.cu> <result>)    the path of the C++ file goes to the variable named `result`. The file is made again
#                                                        when the source changes
#     cmake -DSOURCE=source.cu -DTRANSLATED=source.cpp -P simulated_program.cmake
function(cdpsort_translate source translated)
  file(READ ${source} text)
  string(REGEX REPLACE "([A-Za-z_0-9]+)<<<([^>]*)>>>\\(" "CDP_SIMULATED_LAUNCH(\\1, \\2)(" text "${text}")
  string(REGEX REPLACE "__shared__ ([A-Za-z_0-9]+) ([A-Za-z_0-9]+)([][0-9]*);" "CDP_SIMULATED_SHARED(\\1, \\3, \\2);" text "${text}")
  if(text MATCHES "(<<<|__shared__)[^\n]*")
    message(FATAL_ERROR "cdpsort: ${source}: no C++ can be made of: ${CMAKE_MATCH_0}")
  endif()
  set(head "/* Made of ${source} by simulated_program.cmake. */\n#include \"runtime/simulated_program.h\"\n#line 1 \"${source}\"\n")
  file(CONFIGURE OUTPUT ${translated} CONTENT "${head}${text}" @ONLY)
endfunction()

function(cdpsort_simulated_program source result)
  get_filename_component(source ${source} ABSOLUTE)
  get_filename_component(name ${source} NAME_WE)
  set(translated ${CMAKE_CURRENT_BINARY_DIR}/${name}_simulated.cpp)
  cdpsort_translate(${source} ${translated})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  set(${result} ${translated} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cdpsort_translate(${SOURCE} ${TRANSLATED})
endif()
