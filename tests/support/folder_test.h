/* folder_test.h: what tests that write files share: folders that are removed again, and whole
 * files. */
#ifndef TESTS_FOLDER_TEST_H
#define TESTS_FOLDER_TEST_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Removes a folder and all that is in it. */
static inline void remove_tree(const char *folder) {
    char path[400];
    DIR *dir = opendir(folder);
    for (struct dirent *e = NULL; dir && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        assert_true(length < (int)sizeof path);
        if (unlink(path) != 0) remove_tree(path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}

/* The files that this process has open. */
static inline int count_descriptors(void) {
    int count = 0;
    DIR *const dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        count++;
    if (dir) closedir(dir);
    return count;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads a whole file; free the result. */
static inline void *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

#endif
