/* kept_names.h: the names that are hashed to some of the columns. */
#ifndef SPC_DATA_KEPT_NAMES_H
#define SPC_DATA_KEPT_NAMES_H

#include "base/macros.h"
#include "data/set/dataset.h"

/* NULL in *names: the description asks for none. */
SPARCL_MUST_CHECK sparcl_status spc_kept_names_create(spc_kept_names **names,
                                                      const sparcl_data_desc *desc,
                                                      const sparcl_allocator *allocator,
                                                      sparcl_error *error);
void spc_kept_names_free(spc_kept_names *names, const sparcl_allocator *allocator);

/* A part of a name. */
typedef struct spc_name_part {
    const char *at;
    size_t length;
} spc_name_part;

/* Note that the name "space", `between`, "name" has a column; by any thread. A long name is cut. */
void spc_kept_names_note(spc_kept_names *names, int64_t column, spc_name_part space,
                         const char *between, spc_name_part name);

#endif
