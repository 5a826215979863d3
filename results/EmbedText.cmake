# cmake -DIN=file -DOUT=header.h -DNAME=symbol -P EmbedText.cmake: a text file as a C string.
# As bytes, because compilers need not accept string literals of that length.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "static const char ${NAME}[] = {${bytes}0};\n")
