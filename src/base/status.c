/* status.c: names and texts of the statuses, from the list in status.h. */
#include "sparcl/status.h"

const char *sparcl_status_name(sparcl_status status) {
    switch (status) {
#define SPC_STATUS_NAME(name, value, text)                                                         \
    case name:                                                                                     \
        return #name;
        SPARCL_STATUS_LIST(SPC_STATUS_NAME)
#undef SPC_STATUS_NAME
    }
    return "SPARCL_E_?";
}

const char *sparcl_status_text(sparcl_status status) {
    switch (status) {
#define SPC_STATUS_TEXT(name, value, text)                                                         \
    case name:                                                                                     \
        return text;
        SPARCL_STATUS_LIST(SPC_STATUS_TEXT)
#undef SPC_STATUS_TEXT
    }
    return "no such status";
}
