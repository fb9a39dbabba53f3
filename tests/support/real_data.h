/* real_data.h: the large data sets, in the folder that SPARCL_TEST_DATA names. */
#ifndef TESTS_REAL_DATA_H
#define TESTS_REAL_DATA_H

#include "device_test.h"

#include "sparcl/data.h"

static inline const char *real_folder(void) {
    const char *folder = getenv("SPARCL_TEST_DATA");
#ifdef SPARCL_TEST_DATA_DIR
    if (!folder || !folder[0]) folder = SPARCL_TEST_DATA_DIR;
#endif
    return folder && folder[0] ? folder : NULL;
}

/* Ends the program as skipped where there is no such folder, or a simulator would take hours. */
static inline void need_real_data(const char *which) {
    if (real_folder() && !test_is_small()) return;
    printf("skipped: %s: %s\n", which,
           test_is_small() ? "too large for a simulator" : "SPARCL_TEST_DATA names no folder");
    exit(EXIT_SKIPPED);
}

enum { REAL_PATH = 2048 };

/* The path of a file of that folder, which there is: need_real_data. */
static inline const char *real_path(char path[REAL_PATH], const char *file) {
    const char *const folder = real_folder();
    snprintf(path, REAL_PATH, "%s/%s", folder ? folder : "", file);
    return path;
}

/* A file of that folder. */
static inline sparcl_data *real_data(const char *file, int64_t columns) {
    const sparcl_data_desc desc = {.columns = columns};
    char path[REAL_PATH];
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    if (sparcl_data_read(&data, real_path(path, file), &desc, &error) != SPARCL_OK)
        fail_msg("%s", error.message);
    return data;
}

#endif
