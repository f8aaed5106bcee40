# SPDX-License-Identifier: MIT
# cdpsort_embed_sources(<variable>): generates source_files.cpp, the headers of include/cdpsort/by as text, and puts its path there.
# Made when the build is configured, which an edit of one of them has done again.
function(cdpsort_embed_sources result)
  set(CDP_SOURCE_ARRAYS "")
  set(CDP_SOURCE_NAMES "")
  set(CDP_SOURCE_TEXTS "")
  foreach(name job.h by_device.cuh tile_sort.cuh choose.cuh divide_items.cuh finish.cuh all_kernels.cuh source_rules.cuh)
    set(path ${PROJECT_SOURCE_DIR}/include/cdpsort/by/${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n    "
           bytes "${bytes}")
    string(MAKE_C_IDENTIFIER ${name} identifier)
    string(APPEND CDP_SOURCE_ARRAYS "constexpr char ${identifier}[] = {\n    ${bytes}0};\n\n")
    string(APPEND CDP_SOURCE_NAMES "\"cdpsort/by/${name}\", ")
    string(APPEND CDP_SOURCE_TEXTS "${identifier}, ")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/compare/source_files.cpp)
  configure_file(compare/source_files.in ${generated} @ONLY)
  set(${result} ${generated} PARENT_SCOPE)
endfunction()
