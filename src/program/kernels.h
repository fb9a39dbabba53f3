/* kernels.h: the table of kernel files embedded in the library. */
#ifndef SPC_PROGRAM_KERNELS_H
#define SPC_PROGRAM_KERNELS_H

typedef struct spc_kernel_file {
    const char *stem;
    const unsigned char *text;
    const unsigned long *bytes;
} spc_kernel_file;

/* Ends with a stem that is NULL. */
extern const spc_kernel_file spc_kernel_files[];

#endif
