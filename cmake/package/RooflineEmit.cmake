# One run of rooflinec for roofline_generate(): ROOFLINEC, DIR, ARGUMENTS. Leaves in DIR the generated files,
# `families` (their names, rewritten only when they change), `depfile`, and `emitted`, which says when.
file(MAKE_DIRECTORY ${DIR})
execute_process(COMMAND ${ROOFLINEC} emit -o ${DIR} --depfile ${DIR}/written.d ${ARGUMENTS}
  RESULT_VARIABLE status OUTPUT_VARIABLE diagnostics ERROR_VARIABLE diagnostics)
if(NOT status EQUAL 0)
  message("${diagnostics}")
  message(FATAL_ERROR "rooflinec emit: exit status ${status}")
endif()
if(NOT diagnostics STREQUAL "")
  message("${diagnostics}")
endif()

# "gemm.h gemm.c ...: gemm.yaml ...": what was written, then what it was written from.
file(READ ${DIR}/written.d rule)
string(FIND "${rule}" ":" colon)
string(SUBSTRING "${rule}" 0 ${colon} written)
string(SUBSTRING "${rule}" ${colon} -1 from)
string(REGEX REPLACE "[ \n]*\\\\\n *" "\n" written "${written}")
set(before "")
if(EXISTS ${DIR}/families)
  file(READ ${DIR}/families before)
endif()
if(NOT before STREQUAL written)
  file(WRITE ${DIR}/families "${written}")
endif()
file(WRITE ${DIR}/depfile "${DIR}/emitted${from}")
file(TOUCH ${DIR}/emitted)
