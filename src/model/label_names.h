/* label_names.h: names of the classes of a model whose labels are numbers. */
#ifndef SPC_MODEL_LABEL_NAMES_H
#define SPC_MODEL_LABEL_NAMES_H

#include "base/file.h"
#include "model/safetensors.h"
#include "sparcl/model.h"

typedef struct spc_label_names {
    char *text;        /* [bytes]: one after the other, each with its final 0; NULL: none */
    const char **list; /* [count]: where they begin */
    size_t bytes;
    int64_t count;
} spc_label_names;

/* What a file has of it, behind the parameters; false: nothing. */
bool spc_label_names_tensor(const spc_label_names *names, spc_tensor *tensor, spc_bytes *part);
/* Those of a file, for as many classes; to be freed also after an error. */
SPARCL_MUST_CHECK sparcl_status spc_label_names_read(const spc_tensors *in, int64_t classes,
                                                     spc_label_names *names, sparcl_error *error);
void spc_label_names_free(spc_label_names *names);

#endif
