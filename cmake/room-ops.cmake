# The shipped operators: generated/ is committed, a test compares it with what the compiler writes today.
include_guard()
file(GLOB manifest CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/manifest/*.yaml ${CMAKE_SOURCE_DIR}/manifest/ops/*.yaml)
file(GLOB formulas CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime/formulas/*.c)
file(GLOB generated CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/generated/*.c)
set(emit_shipped rooflinec emit --formulas runtime/formulas manifest)

add_custom_target(generate COMMAND ${emit_shipped} -o generated WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
if(NOT generated)
  return() # './dev generate' writes it
endif()

# An object library first: a formula's roof key overrides a generated default only where both are linked,
# and a linker takes from an archive no more than it misses.
add_library(roofline_ops_objects OBJECT ${generated} ${formulas})
set_target_properties(roofline_ops_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(roofline_ops_objects PUBLIC ${CMAKE_SOURCE_DIR}/generated)
target_link_libraries(roofline_ops_objects PUBLIC roofline)

add_library(roofline_ops STATIC $<TARGET_OBJECTS:roofline_ops_objects>)
target_include_directories(roofline_ops PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/generated> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(roofline_ops PUBLIC roofline)

# One file for ctypes and other languages: the operators and the runtime's by-name interface.
add_library(roofline_ops_shared SHARED $<TARGET_OBJECTS:roofline_ops_objects>)
set_target_properties(roofline_ops_shared PROPERTIES OUTPUT_NAME roofline_ops LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(roofline_ops_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,roofline> m)

# rows: prints flops and bytes of every workload row (codegen.md §2).
set(rows_dir ${CMAKE_BINARY_DIR}/rows)
add_custom_command(OUTPUT ${rows_dir}/rows_main.c
  COMMAND ${emit_shipped} --rows-main -o ${rows_dir}
  COMMAND ${CMAKE_COMMAND} -E touch ${rows_dir}/rows_main.c
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DEPENDS rooflinec ${manifest} ${formulas} VERBATIM)
add_executable(rows ${rows_dir}/rows_main.c $<TARGET_OBJECTS:roofline_ops_objects>)
set_target_properties(rows PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin LINKER_LANGUAGE C)
target_include_directories(rows PRIVATE ${CMAKE_SOURCE_DIR}/generated)
target_link_libraries(rows PRIVATE roofline)

if(ROOFLINE_TESTS)
  enable_testing()
  add_test(NAME generated.up_to_date COMMAND ${emit_shipped} --check -o generated
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_test(NAME manifest.strict COMMAND rooflinec check --strict --formulas runtime/formulas manifest
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(generated.up_to_date manifest.strict PROPERTIES TIMEOUT 60)
endif()
