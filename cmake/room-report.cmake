# The page of `roofline price --format html` travels inside the program.
set(page ${CMAKE_BINARY_DIR}/pricing/report_page.c)
add_custom_command(OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -DINPUT=${CMAKE_SOURCE_DIR}/runtime/pricing/report.html -DOUTPUT=${page} -DNAME=report_page
    -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${CMAKE_SOURCE_DIR}/runtime/pricing/report.html ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
target_sources(roofline_pricing PRIVATE ${page})
