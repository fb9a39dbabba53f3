/* opening.h: one thread of the process at a time lists devices and opens contexts. The loader and
 * drivers prepare themselves in their first calls, and not all of them lock: of PoCL 3.1 a second
 * thread gets no device, or a crash. */
#ifndef SPC_DEVICE_OPENING_H
#define SPC_DEVICE_OPENING_H

/* Does not nest. */
void spc_opening_begin(void);
void spc_opening_end(void);

#endif
