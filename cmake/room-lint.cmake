# `ninja lint`: formatting and clang-tidy, one stamp a file, so that only what changed is looked at again.
find_program(CLANG_FORMAT_PROGRAM clang-format)
find_program(CLANG_TIDY_PROGRAM clang-tidy)
if(NOT CLANG_FORMAT_PROGRAM OR NOT CLANG_TIDY_PROGRAM)
  return() # './dev lint' installs both
endif()

set(rooms text compiler runtime/src runtime/pricing runtime/formulas runtime/include/roofline
  tests/unit tests/oracle tests/fuzz tests/bench tests/examples)
set(lint_sources)
set(lint_headers)
foreach(room IN LISTS rooms)
  file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${room}/*.c)
  list(APPEND lint_sources ${found})
  file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${room}/*.h)
  list(APPEND lint_headers ${found})
endforeach()

set(stamps)
foreach(file IN LISTS lint_sources lint_headers)
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${file})
  set(stamp ${CMAKE_BINARY_DIR}/lint/${name})
  get_filename_component(stamp_dir ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${stamp_dir})
  add_custom_command(OUTPUT ${stamp}.format
    COMMAND ${CLANG_FORMAT_PROGRAM} --dry-run -Werror ${file} && ${CMAKE_COMMAND} -E touch ${stamp}.format
    DEPENDS ${file} ${CMAKE_SOURCE_DIR}/.clang-format COMMENT "clang-format ${name}" VERBATIM)
  list(APPEND stamps ${stamp}.format)
  if(file MATCHES "[.]c$" AND NOT name MATCHES "^tests/")
    add_custom_command(OUTPUT ${stamp}.tidy
      COMMAND ${CLANG_TIDY_PROGRAM} --quiet -p ${CMAKE_BINARY_DIR} ${file}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}.tidy
      DEPENDS ${file} ${lint_headers} ${CMAKE_SOURCE_DIR}/.clang-tidy COMMENT "clang-tidy ${name}" VERBATIM)
    list(APPEND stamps ${stamp}.tidy)
  endif()
endforeach()
add_custom_target(lint DEPENDS ${stamps})
