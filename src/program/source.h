/* source.h: the source text of a program, and its build options. */
#ifndef SPC_PROGRAM_SOURCE_H
#define SPC_PROGRAM_SOURCE_H

#include "device/ctx.h"

#define SPC_MAX_FILES 14

/* The source of a program: prelude.cl and the files of its stem. */
typedef struct spc_source {
    int count;
    const char *text[SPC_MAX_FILES];
    size_t bytes[SPC_MAX_FILES];
    char *owned[SPC_MAX_FILES]; /* texts that were read from kernel_dir, else NULL */
} spc_source;

/* The files of a stem: "a+b" is prelude.cl, halves.cl where values have 16 bits, a.cl and b.cl.
 * Must be freed, also after a failure. */
sparcl_status spc_source_find(sparcl_ctx *ctx, const char *stem, uint32_t options, spc_source *src);
void spc_source_free(sparcl_ctx *ctx, spc_source *src);

/* Those of the build options that name element types other than REAL; each with a space after it.
 */
void spc_source_types(uint32_t options, char *text, size_t size);
/* The build options as text; `options` are those of build_options.h. */
void spc_source_options(const sparcl_ctx *ctx, uint32_t options, char *text, size_t size);

#endif
