/* validation.h: what is told of rows that cannot be read, and that are then left out. */
#ifndef SPC_DATA_VALIDATION_H
#define SPC_DATA_VALIDATION_H

#include "data/set/dataset.h"

/* Called by one thread at a time, in file order. */
struct spc_notes {
    /* What is wrong in the lines from `first` to before `end` (from 1); `message` has the place. */
    sparcl_status (*add)(spc_notes *notes, int64_t first, int64_t end, const char *message);
    int64_t count;      /* of the calls */
    int64_t rows;       /* of text that can be read, before what cannot; 0 where all can */
    const char *format; /* that of the file, where it is known */
};

/* data.c: sparcl_data_read, but rows of text that cannot be read are noted and left out. */
SPARCL_MUST_CHECK sparcl_status spc_data_read_noting(sparcl_data **data, const char *path,
                                                     const sparcl_data_desc *desc, spc_notes *notes,
                                                     sparcl_error *error);

/* validation_fix.c: the ranges of lines that are left out or written anew. */
typedef struct spc_line_range {
    int64_t first, end; /* from 1; end is not in it */
    uint64_t message;   /* a hash of what is wrong */
} spc_line_range;

typedef struct spc_line_fix {
    spc_array dropped;  /* spc_line_range, ascending */
    spc_array repaired; /* int64_t, ascending: lines whose rows are written from the data */
} spc_line_fix;

/* Write the text of `path` without the dropped lines, with the entries of repaired ones sorted and
 * added. The memory is that of the text. */
SPARCL_MUST_CHECK sparcl_status spc_fix_write(const sparcl_data *data, const char *path,
                                              const char *fixed, const spc_line_fix *fix,
                                              sparcl_error *error);

#endif
