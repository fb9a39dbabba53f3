/* opening.c: one thread of the process at a time lists devices and opens contexts. */
#include "device/opening.h"

#include <pthread.h>

/* The only state that contexts share; nothing has to initialise it. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

void spc_opening_begin(void) {
    (void)pthread_mutex_lock(&opening);
}

void spc_opening_end(void) {
    (void)pthread_mutex_unlock(&opening);
}
