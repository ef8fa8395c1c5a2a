# Pages written from the sources; tests/cli/test_docs.sh holds the committed ones to what this writes.
find_program(PYTHON3_PROGRAM python3)
if(PYTHON3_PROGRAM)
  add_custom_target(docs
    COMMAND ${PYTHON3_PROGRAM} docs/api.py runtime/include/roofline > docs/api.md
    COMMAND rooflinec explain --reference > docs/diagnostics.md
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
endif()
