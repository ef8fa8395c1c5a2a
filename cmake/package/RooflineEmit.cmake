# One run of rooflinec for roofline_generate(): cmake -DROOFLINEC=.. -DDIR=.. -P this -- arguments of emit.
# Leaves in DIR the generated files, `families` (their names, rewritten only when they change; the files of a family
# that went are removed), `depfile`, and `emitted`, which says when.
set(arguments)
set(i 0)
while(NOT CMAKE_ARGV${i} STREQUAL "--")
  math(EXPR i "${i} + 1")
endwhile()
foreach(i RANGE ${i} ${CMAKE_ARGC})
  string(REGEX REPLACE "^--formulas=" "" path "${CMAKE_ARGV${i}}")
  if(NOT IS_ABSOLUTE "${path}" OR EXISTS "${path}") # a file that went away: CMake runs again and forgets it
    list(APPEND arguments ${CMAKE_ARGV${i}})
  endif()
endforeach()
list(POP_FRONT arguments)

file(MAKE_DIRECTORY ${DIR})
execute_process(COMMAND ${ROOFLINEC} emit -o ${DIR} --depfile ${DIR}/written.d ${arguments}
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "rooflinec emit: exit status ${status}")
endif()

# "gemm.h gemm.c ...: gemm.yaml ...": what was written, then what it was written from.
file(READ ${DIR}/written.d rule)
string(FIND "${rule}" ":" colon)
string(SUBSTRING "${rule}" 0 ${colon} written)
string(SUBSTRING "${rule}" ${colon} -1 from)
string(REGEX REPLACE "[ \n]*\\\\\n *" "\n" written "${written}")
string(REPLACE "\n" ";" written_list "${written}")
set(before "")
if(EXISTS ${DIR}/families)
  file(READ ${DIR}/families before)
endif()
if(NOT before STREQUAL written)
  string(REPLACE "\n" ";" gone "${before}")
  list(REMOVE_ITEM gone ${written_list})
  if(gone)
    file(REMOVE ${gone})
  endif()
  file(WRITE ${DIR}/families "${written}")
endif()
file(WRITE ${DIR}/depfile "${DIR}/emitted${from}")
file(TOUCH ${DIR}/emitted)
