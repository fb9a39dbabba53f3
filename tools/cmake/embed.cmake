# Write the file IN as a C byte array spc_kernel_STEM into OUT.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* made from cl/${STEM}.cl */
extern const unsigned char spc_kernel_${STEM}[];
extern const unsigned long spc_kernel_${STEM}_bytes;
const unsigned char spc_kernel_${STEM}[] = {
${bytes}0};
const unsigned long spc_kernel_${STEM}_bytes = sizeof spc_kernel_${STEM} - 1;
")
