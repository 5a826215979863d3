# cmake -DFROM=page.md -DTO=example.c -P extract-example.cmake
# Writes the page's one ```c block to TO, so that the example in the docs is the one that is tested.
file(READ ${FROM} text)
string(FIND "${text}" "```c\n" start)
if(start EQUAL -1)
  message(FATAL_ERROR "${FROM}: no C example")
endif()
math(EXPR start "${start} + 5")
string(SUBSTRING "${text}" ${start} -1 text)
string(FIND "${text}" "```" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(WRITE ${TO} "${text}")
