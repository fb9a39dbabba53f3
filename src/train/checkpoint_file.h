/*
 * checkpoint_file.h: files of checkpoints: safetensors whose last tensor is a checksum of all bytes
 * before its own. At every moment the file or the one before it, FILE.previous, is complete.
 */
#ifndef SPC_TRAIN_CHECKPOINT_FILE_H
#define SPC_TRAIN_CHECKPOINT_FILE_H

#include <stdbool.h>

#include "model/safetensors.h"
#include "sparcl/context.h"

enum { SPC_ITEM_NAME = 160 };

/* An array that a checkpoint has: in host memory, or in a buffer. */
typedef struct spc_item {
    char name[SPC_ITEM_NAME];
    const char *dtype;
    int64_t count, bytes;
    void *host;
    sparcl_buf *buf;
    int64_t at;          /* in the buffer, in bytes */
    int64_t least, most; /* bounds of its integers */
} spc_item;

typedef struct spc_items {
    spc_item *at;
    int count, capacity;
} spc_items;

/* Add an item; its name is `folder`/`name`, or folder/of/name. E_MEMORY. */
sparcl_status spc_items_add(spc_items *items, const char *folder, const char *of, const char *name,
                            const spc_item *item, sparcl_error *error);
void spc_items_free(spc_items *items);

/*
 * Write the items to `path`. The bytes go to a temporary file, which is synced; then PATH becomes
 * PATH.previous, that file becomes PATH, and the folder is synced. After an error both are what
 * they were, or PATH has become PATH.previous. Where PATH is a symbolic link, all of this is of the
 * file that it leads to.
 */
sparcl_status spc_checkpoint_write(sparcl_ctx *ctx, const char *path, const spc_note *notes,
                                   int note_count, const spc_items *items, sparcl_error *error);

/* A checkpoint that is open for reading. */
typedef struct spc_checkpoint {
    spc_tensors tensors;
    FILE *file;
    char *path; /* of the file that is read */
    bool is_previous;
    sparcl_error damage; /* with is_previous: why not the file itself */
} spc_checkpoint;

/* Open `path` or, where that is missing or damaged, PATH.previous. *found is false where neither
 * exists. E_FORMAT, E_IO: none can be used. */
sparcl_status spc_checkpoint_open(spc_checkpoint *in, const char *path, bool *found,
                                  sparcl_error *error);
/* Read the header of in->file, and compare the checksum. E_FORMAT, E_IO. */
sparcl_status spc_checkpoint_check(spc_checkpoint *in, sparcl_error *error);
void spc_checkpoint_close(spc_checkpoint *in);

/* Read an item. E_FORMAT: it is missing, or is not as expected. */
sparcl_status spc_checkpoint_read(sparcl_ctx *ctx, const spc_checkpoint *in, const spc_item *item,
                                  sparcl_error *error);

#endif
