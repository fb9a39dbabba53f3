/* version.c: the version of the loaded library. */
#include "sparcl/sparcl.h"

const char *sparcl_version(void) {
    return SPARCL_VERSION_TEXT;
}
