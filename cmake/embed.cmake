# cmake -DINPUT=file -DOUTPUT=file.c -DNAME=symbol -P embed.cmake: a file's bytes as a C array and its size.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>\n\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\n"
  "const unsigned char ${NAME}[] = {\n${bytes}};\nconst size_t ${NAME}_size = sizeof ${NAME};\n")
