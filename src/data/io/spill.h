/* spill.h: memory for large arrays in files, so that data may be larger than the memory of the
 * machine. */
#ifndef SPC_DATA_SPILL_H
#define SPC_DATA_SPILL_H

#include "base/macros.h"
#include "sparcl/status.h"

/* Blocks of this many bytes and more are files. */
enum { SPC_SPILL_BYTES = 4 << 20 };

typedef struct spc_spill spc_spill;

/* Files are made in `folder`, and removed from it at once: their space is free again when their
 * block is freed, or the process ends. E_IO: no file can be made there; E_MEMORY. */
SPARCL_MUST_CHECK sparcl_status spc_spill_open(spc_spill **spill, const char *folder,
                                               sparcl_error *error);
/* Hold it once more; release it as often as it was opened and held. NULL is allowed. */
spc_spill *spc_spill_hold(spc_spill *spill);
void spc_spill_release(spc_spill *spill);

/* Valid while it is held; called by one thread at a time. */
sparcl_allocator spc_spill_allocator(spc_spill *spill);
/* After a block could not be had: E_IO, where that was for its file; else `status`. */
sparcl_status spc_spill_explain(const spc_spill *spill, sparcl_status status, sparcl_error *error);

#endif
