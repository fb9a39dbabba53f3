/* model_notes.h: texts by keys that a model keeps, such as what came of its validation. */
#ifndef SPC_MODEL_MODEL_NOTES_H
#define SPC_MODEL_MODEL_NOTES_H

#include "model/safetensors.h"
#include "sparcl/model.h"

/* In the order of the keys. An entry is the key in a file, a 0 and the text. */
typedef struct spc_model_notes {
    char *list[SPARCL_MODEL_NOTES];
    int count;
} spc_model_notes;

/* Add them to the metadata of a file, which has room for SPARCL_MODEL_NOTES; their number. */
int spc_model_notes_write(const spc_model_notes *notes, spc_note *to);
/* Those of a file; *notes is to be freed also after an error. */
SPARCL_MUST_CHECK sparcl_status spc_model_notes_read(const spc_tensors *in, spc_model_notes *notes,
                                                     sparcl_error *error);
void spc_model_notes_free(spc_model_notes *notes);

#endif
