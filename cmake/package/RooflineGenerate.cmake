# roofline_generate(TARGET name MANIFEST path... [FORMULAS file.c...] [PREFIX prefix] [STRICT] [SHARED])
#
# Adds a static library `name` of the evaluators that rooflinec writes for the MANIFEST (files, or directories of
# *.yaml), with the hand-written FORMULAS; it links roofline::runtime, and its headers are on the include path of
# what links it. A defect in the manifest stops the build with rooflinec's diagnostics. An edit makes rooflinec run
# again, and only the families whose C changes are compiled; so does a file that comes or goes in a directory.
# With SHARED also `name_shared`, the file lib<name>.so: the same objects and the runtime whole, for other languages.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)
set(_roofline_emit_script ${CMAKE_CURRENT_LIST_DIR}/RooflineEmit.cmake)

function(roofline_generate)
  cmake_parse_arguments(arg "STRICT;SHARED" "TARGET;PREFIX" "MANIFEST;FORMULAS" ${ARGN})
  if(NOT arg_TARGET OR NOT arg_MANIFEST OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "roofline_generate(TARGET name MANIFEST path... [FORMULAS file.c...] [PREFIX prefix] [STRICT] [SHARED])")
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.roofline)
  set(stamp ${dir}/emitted)

  set(manifest)
  foreach(path IN LISTS arg_MANIFEST)
    cmake_path(ABSOLUTE_PATH path NORMALIZE)
    if(IS_DIRECTORY ${path})
      file(GLOB files CONFIGURE_DEPENDS ${path}/*.yaml)
      list(APPEND manifest ${files})
    elseif(NOT EXISTS ${path})
      message(FATAL_ERROR "roofline_generate(TARGET ${arg_TARGET}): there is no ${path}")
    else()
      list(APPEND manifest ${path})
    endif()
  endforeach()
  set(formulas)
  foreach(pattern IN LISTS arg_FORMULAS)
    cmake_path(ABSOLUTE_PATH pattern NORMALIZE)
    file(GLOB files CONFIGURE_DEPENDS ${pattern})
    list(APPEND formulas ${files})
  endforeach()

  set(emit ${manifest})
  foreach(file IN LISTS formulas)
    list(APPEND emit --formulas=${file})
  endforeach()
  if(arg_PREFIX)
    list(APPEND emit --prefix ${arg_PREFIX})
  endif()
  if(arg_STRICT)
    list(APPEND emit --strict)
  endif()
  set(command ${CMAKE_COMMAND} -DROOFLINEC=$<TARGET_FILE:roofline::rooflinec> -DDIR=${dir}
    -P ${_roofline_emit_script} -- ${emit})

  # Which files there will be is known once rooflinec has run: so it runs now, and where an edit adds or drops a
  # family, `families` changes and CMake runs again before anything is compiled.
  get_target_property(rooflinec roofline::rooflinec LOCATION)
  list(TRANSFORM command REPLACE "\\$<TARGET_FILE:roofline::rooflinec>" ${rooflinec} OUTPUT_VARIABLE now)
  execute_process(COMMAND ${now} RESULT_VARIABLE failed)
  if(failed)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest} ${formulas})
    message(FATAL_ERROR "roofline_generate(TARGET ${arg_TARGET}): rooflinec refuses the manifest")
  endif()
  file(STRINGS ${dir}/families sources)
  set(generated ${sources})
  list(FILTER sources INCLUDE REGEX "[.]c$")
  if(CMAKE_GENERATOR MATCHES "Ninja") # what was read is in the depfile, where a file may also vanish
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dir}/families)
    set(depends)
  else() # Make looks at these before it builds anything
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
    set(depends ${manifest} ${formulas})
  endif()

  add_custom_command(OUTPUT ${stamp} BYPRODUCTS ${dir}/families ${generated} COMMAND ${command}
    DEPENDS roofline::rooflinec ${depends} DEPFILE ${dir}/depfile
    COMMENT "rooflinec emit: ${arg_TARGET}" VERBATIM)
  add_custom_target(${arg_TARGET}_emit DEPENDS ${stamp})
  add_library(${arg_TARGET} STATIC ${sources} ${formulas})
  add_dependencies(${arg_TARGET} ${arg_TARGET}_emit)
  target_include_directories(${arg_TARGET} PUBLIC $<BUILD_INTERFACE:${dir}>)
  target_link_libraries(${arg_TARGET} PUBLIC roofline::runtime)
  target_compile_features(${arg_TARGET} PRIVATE c_std_11)
  if(arg_SHARED)
    # The operators call little of the runtime, and other languages call the rest by name: so all of it is linked.
    set_target_properties(${arg_TARGET} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET default)
    add_library(${arg_TARGET}_shared SHARED $<TARGET_OBJECTS:${arg_TARGET}>)
    set_target_properties(${arg_TARGET}_shared PROPERTIES OUTPUT_NAME ${arg_TARGET} LINKER_LANGUAGE C)
    target_link_libraries(${arg_TARGET}_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,roofline::runtime> m)
  endif()
endfunction()
cmake_policy(POP)
