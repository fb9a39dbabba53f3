/* replay.c: a main for fuzz targets built without libFuzzer: gives them each file of a folder. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of targets that read data. */
extern uint64_t fuzz_sum __attribute__((weak));

enum { MOST = 1 << 20 };

static int replay(const char *folder, const char *name, uint8_t *bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "rb");
    if (!file) return 0;
    const size_t size = fread(bytes, 1, MOST, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    return 1;
}

int main(int argc, char **argv) {
    uint8_t *const bytes = malloc(MOST);
    DIR *const folder = argc == 2 ? opendir(argv[1]) : NULL;
    int count = 0;
    for (struct dirent *entry; bytes && folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') count += replay(argv[1], entry->d_name, bytes);
    if (folder) closedir(folder);
    free(bytes);
    printf("%d files", count);
    if (&fuzz_sum) printf(", sum %016" PRIx64, fuzz_sum);
    printf("\n");
    return count == 0;
}
