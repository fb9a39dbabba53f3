/* device_memory.h: the device memory of a training. */
#ifndef SPC_TRAIN_DEVICE_MEMORY_H
#define SPC_TRAIN_DEVICE_MEMORY_H

#include "train/loop.h"

/* Describe it; call the description's function if there is one. */
sparcl_status spc_trainer_report_memory(spc_trainer *trainer, sparcl_error *error);

#endif
