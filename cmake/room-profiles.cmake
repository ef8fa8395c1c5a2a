# The shipped GPU profiles stand beside the programs, installed (prefix/share) and in the build tree alike.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/manifest/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/rooflinec
  FILES_MATCHING PATTERN "*.yaml")
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/rooflinec)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/manifest/profiles ${CMAKE_BINARY_DIR}/share/rooflinec/profiles
  COPY_ON_ERROR SYMBOLIC)
