# Write the table of all kernel programs into OUT: the texts in FILES that are "a+b" of files of KERNELS, or where a launch
# has its program.
cmake_policy(VERSION 3.25)
set(programs)
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  string(REGEX MATCHALL "\"[a-z0-9_]+(\\+[a-z0-9_]+)+\"|(PROGRAM|LAUNCH\\([ \n]*[a-z>-]+,)[ \n]+\"[a-z0-9_]+\"" found "${text}")
  foreach(match IN LISTS found)
    string(REGEX REPLACE ".*\"(.+)\"" "\\1" program "${match}")
    string(REGEX REPLACE ".*\\+" "" last ${program})
    if(EXISTS ${KERNELS}/${last}.cl)
      list(APPEND programs ${program})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES programs)
list(TRANSFORM programs REPLACE "(.+)" "    \"\\1\",\n")
list(JOIN programs "" lines)
file(WRITE ${OUT}.new "/* made by CMake: all programs that the sources launch */
#include \"program/program.h\"

const char *const spc_programs[] = {
${lines}    NULL};
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
