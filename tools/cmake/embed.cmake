# Write the file IN as a C byte array SYMBOL into OUT; FROM is its name in a comment.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* made from ${FROM} */
extern const unsigned char ${SYMBOL}[];
extern const unsigned long ${SYMBOL}_bytes;
const unsigned char ${SYMBOL}[] = {
${bytes}0};
const unsigned long ${SYMBOL}_bytes = sizeof ${SYMBOL} - 1;
")
