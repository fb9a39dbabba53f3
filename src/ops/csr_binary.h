/* csr_binary.h: what operations on CSR matrices element by element share. */
#ifndef SPC_OPS_CSR_BINARY_H
#define SPC_OPS_CSR_BINARY_H

#include "ops/check.h"

/* Their kernels. */
#define SPC_CSR_BINARY "entry_rows+csr_binary"

#endif
