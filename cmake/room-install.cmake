# What `cmake --install` and `cpack` put where; roofline_generate() for other builds is in cmake/package.
include(CMakePackageConfigHelpers)
include(${CMAKE_SOURCE_DIR}/cmake/room-ops.cmake) # its libraries are installed too
set(data_dir ${CMAKE_INSTALL_DATADIR}/rooflinec)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/roofline)
set(ops_include_dir ${CMAKE_INSTALL_INCLUDEDIR}/roofline/ops)

# --- shared libraries: the same objects; a reader of the symbol table sees what headers declare --------
set(exports ${CMAKE_SOURCE_DIR}/cmake/package/exports.map)
set_target_properties(roofline PROPERTIES C_VISIBILITY_PRESET hidden EXPORT_NAME runtime)
target_compile_definitions(roofline PRIVATE ROOFLINE_SHARED)
add_library(roofline_shared SHARED $<TARGET_OBJECTS:roofline>)
set_target_properties(roofline_shared PROPERTIES OUTPUT_NAME roofline LINKER_LANGUAGE C EXPORT_NAME runtime_shared
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(roofline_shared PRIVATE m)
target_include_directories(roofline_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set(libraries roofline roofline_shared)
if(TARGET roofline_ops)
  set_target_properties(roofline_ops PROPERTIES EXPORT_NAME ops)
  set_target_properties(roofline_ops_shared PROPERTIES EXPORT_NAME ops_shared)
  target_include_directories(roofline_ops_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(APPEND libraries roofline_ops roofline_ops_shared)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/generated/ DESTINATION ${ops_include_dir} FILES_MATCHING PATTERN "*.h")
endif()
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    target_link_options(${library} PRIVATE LINKER:--version-script=${exports})
    set_target_properties(${library} PROPERTIES LINK_DEPENDS ${exports})
  endif()
endforeach()

# --- programs, libraries, headers ------------------------------------------------------------------------
set_target_properties(roofline_tool PROPERTIES EXPORT_NAME roofline)
install(TARGETS rooflinec roofline_tool ${libraries} EXPORT rooflineTargets)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/include/roofline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# --- CMake package, pkg-config ---------------------------------------------------------------------------
install(EXPORT rooflineTargets NAMESPACE roofline:: DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/rooflineConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/package/rooflineConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/rooflineConfig.cmake INSTALL_DESTINATION ${package_dir})
install(FILES ${CMAKE_BINARY_DIR}/package/rooflineConfig.cmake ${CMAKE_BINARY_DIR}/package/rooflineConfigVersion.cmake
  ${CMAKE_SOURCE_DIR}/cmake/package/RooflineGenerate.cmake ${CMAKE_SOURCE_DIR}/cmake/package/RooflineEmit.cmake
  DESTINATION ${package_dir})
foreach(name roofline roofline-ops)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/package/${name}.pc.in ${CMAKE_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# --- manual pages: the programs' own help, in man's form; a cross build cannot ask them ----------------------
set(pages)
foreach(program rooflinec roofline_tool)
  if(CMAKE_CROSSCOMPILING)
    break()
  endif()
  set(page ${CMAKE_BINARY_DIR}/package/$<TARGET_FILE_NAME:${program}>.1)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/package/${program}.stamp
    COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/package/man.sh $<TARGET_FILE:${program}> > ${page}
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/package/${program}.stamp
    DEPENDS ${program} ${CMAKE_SOURCE_DIR}/cmake/package/man.sh VERBATIM)
  list(APPEND pages ${CMAKE_BINARY_DIR}/package/${program}.stamp)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()

# --- schemas, manifest, completions, licence ---------------------------------------------------------------
add_custom_target(package_files ALL DEPENDS ${pages})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/schemas DESTINATION ${data_dir} FILES_MATCHING PATTERN "*.schema.json")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/manifest/ DESTINATION ${data_dir} FILES_MATCHING PATTERN "*.yaml"
  PATTERN "*.jsonl")
install(FILES ${CMAKE_SOURCE_DIR}/cmake/completions/roofline.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rooflinec)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/completions/roofline.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME roofline)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/completions/_roofline DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
foreach(name rooflinec roofline)
  install(FILES ${CMAKE_SOURCE_DIR}/cmake/completions/roofline.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ${name}.fish)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rooflinec RENAME copyright)

# --- cpack -G DEB --------------------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rooflinec)
set(CPACK_PACKAGE_CONTACT "The rooflinec authors <rooflinec@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "flops and bytes of GPU operators, compiled from a manifest and priced")
set(CPACK_PACKAGE_DESCRIPTION "A compiler from a YAML manifest of GPU operators to plain C evaluators of flops and\
 bytes, and a tool that prices measured kernels against the roofs of the GPU they ran on.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libdlpack-dev, cmake, pkg-config")
include(CPack)
