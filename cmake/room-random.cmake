# What writes random manifests for tests/conformance/test_random_expressions.sh.
if(ROOFLINE_TESTS)
  add_executable(random_expressions tests/conformance/random_expressions.c)
  target_link_libraries(random_expressions PRIVATE roofline_compiler)
endif()
