/* version.c: the version of the library that runs. */
#include "sparcl/sparcl.h"

const char *sparcl_version(void) {
    return SPARCL_VERSION_TEXT;
}
