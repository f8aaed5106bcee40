# SPDX-License-Identifier: MIT
# What is installed: headers, both libraries, a CMake package and pkg-config files.
#
# The CMake package is written by hand rather than exported: an exported static library would ask its users to enable C++ and
# CUDA, where a plain C project needs but the names of a few libraries.
include(CMakePackageConfigHelpers)

# What a static link needs, as words for cc. The package adds the CUDA runtime where it finds it on the user's machine.
cmake_path(GET CDPSORT_BOOST_CONTEXT FILENAME CDPSORT_BOOST_CONTEXT_NAME)
cmake_path(GET CDPSORT_BOOST_CONTEXT PARENT_PATH CDPSORT_BOOST_CONTEXT_DIR)
set(CDPSORT_PRIVATE_LIBS "-L${CDPSORT_BOOST_CONTEXT_DIR} -l:${CDPSORT_BOOST_CONTEXT_NAME}")
if(CDPSORT_HAVE_CUDA)
  string(APPEND CDPSORT_PRIVATE_LIBS " -L${CDPSORT_CUDART_DIR} -lcudadevrt -lcudart_static")
endif()
foreach(library IN LISTS CDPSORT_STATIC_LIBRARIES)
  string(APPEND CDPSORT_PRIVATE_LIBS " -l${library}")
endforeach()

install(TARGETS cdpsort cdpsort_static)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cdpsort DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cdpsort)
configure_package_config_file(cdpsort-config.cmake.in cdpsort-config.cmake INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(cdpsort-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cdpsort-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/cdpsort-config-version.cmake
        DESTINATION ${package_dir})

# Paths relative to the .pc file, so that an installation can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH CDPSORT_PC_LIBDIR ${pkgconfig_dir} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH CDPSORT_PC_INCLUDEDIR ${pkgconfig_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(file cdpsort.pc cdpsort-static.pc)
  configure_file(${file}.in ${file} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
