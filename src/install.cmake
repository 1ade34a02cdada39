# What `cmake --install` puts where: library, headers, the package for find_package(bfc), programs.
include(CMakePackageConfigHelpers)

set(bfc_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bfc")
install(TARGETS bfc bfc_cuda_edge EXPORT bfcTargets FILE_SET HEADERS)
install(EXPORT bfcTargets NAMESPACE bfc:: DESTINATION "${bfc_package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/bfcConfig.cmake.in" bfcConfig.cmake
                              INSTALL_DESTINATION "${bfc_package_dir}")
# 0.x: every minor version may change the interface.
write_basic_package_version_file(bfcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/bfcConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/bfcConfigVersion.cmake"
        DESTINATION "${bfc_package_dir}")
foreach(program IN ITEMS bfc_cli bfc-bench)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME)
  endif()
endforeach()
