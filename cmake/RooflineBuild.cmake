# Helpers of this project's own build.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(ROOFLINE_SANITIZE)
  add_compile_options(-fsanitize=${ROOFLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROOFLINE_SANITIZE})
endif()

function(roofline_missing what)
  message(FATAL_ERROR "\nrooflinec: this machine lacks ${what}; './dev demo' installs what is missing.\n")
endfunction()

macro(roofline_require_program var name what)
  find_program(${var}_PROGRAM ${name})
  if(NOT ${var}_PROGRAM)
    roofline_missing("${what}")
  endif()
endmacro()

macro(roofline_require_file var name hint what)
  find_path(${var}_DIR ${name} HINTS ${hint})
  if(NOT ${var}_DIR)
    roofline_missing("${what}")
  endif()
endmacro()

macro(roofline_require_library var header library what)
  find_path(${var}_INCLUDE ${header})
  find_library(${var}_LIBRARY ${library})
  if(NOT ${var}_INCLUDE OR NOT ${var}_LIBRARY)
    roofline_missing("${what}")
  endif()
  if(NOT TARGET ${var}::${var})
    add_library(${var}::${var} UNKNOWN IMPORTED)
    set_target_properties(${var}::${var} PROPERTIES IMPORTED_LOCATION ${${var}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${${var}_INCLUDE})
  endif()
endmacro()

# A static library of every file a pattern names; a new file is noticed.
function(roofline_library target)
  cmake_parse_arguments(arg "" "" "SOURCES;EXCLUDE" ${ARGN})
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/)
  list(TRANSFORM arg_EXCLUDE PREPEND ${CMAKE_SOURCE_DIR}/)
  file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
  if(arg_EXCLUDE)
    list(REMOVE_ITEM sources ${arg_EXCLUDE})
  endif()
  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C POSITION_INDEPENDENT_CODE ON)
endfunction()

function(roofline_program target)
  cmake_parse_arguments(arg "" "OUTPUT;MAIN" "LIBRARIES" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${arg_MAIN})
    return()
  endif()
  add_executable(${target} ${arg_MAIN})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  if(arg_OUTPUT)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT})
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  target_compile_definitions(${target} PRIVATE ROOFLINE_VERSION="${PROJECT_VERSION}")
endfunction()

# re2c and lemon at build time; what they write is not ours to warn about.
function(roofline_grammar target lexer parser)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${parser})
    return()
  endif()
  set(dir ${CMAKE_BINARY_DIR}/grammar)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(OUTPUT ${dir}/expr.c ${dir}/expr.h
    COMMAND ${LEMON_PROGRAM} -q -T${LEMPAR_DIR}/lempar.c -d${dir} ${CMAKE_SOURCE_DIR}/${parser}
    DEPENDS ${CMAKE_SOURCE_DIR}/${parser} VERBATIM)
  add_custom_command(OUTPUT ${dir}/expr_lexer.c
    COMMAND ${RE2C_PROGRAM} -W --no-debug-info -o ${dir}/expr_lexer.c ${CMAKE_SOURCE_DIR}/${lexer}
    DEPENDS ${CMAKE_SOURCE_DIR}/${lexer} ${dir}/expr.h VERBATIM)
  target_sources(${target} PRIVATE ${dir}/expr.c ${dir}/expr_lexer.c ${dir}/expr.h)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR})
  set_source_files_properties(${dir}/expr.c ${dir}/expr_lexer.c PROPERTIES
    COMPILE_OPTIONS "-Wno-conversion;-Wno-sign-conversion;-Wno-shadow;-Wno-unused-parameter")
endfunction()
