/* model_file.c: reads model files, and distinguishes them from data files. */
#include "model_file.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "message.h"

/* A safetensors file: the length of its header in 8 bytes, then JSON. */
bool is_model_file(const char *path) {
    enum { MOST_HEADER = 100000000, LENGTH = 8 };
    unsigned char begin[LENGTH + 1];
    uint64_t length = 0;
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    FILE *const file = fopen(path, "rb");
    if (!file) return false;
    const bool is_whole = fread(begin, 1, sizeof begin, file) == sizeof begin;
    fclose(file);
    if (!is_whole || begin[LENGTH] != '{') return false;
    for (int i = LENGTH; i-- > 0;)
        length = length << 8 | begin[i];
    return length >= 2 && length <= MOST_HEADER;
}

static void print_not_a_model(const char *path, const char *other) {
    if (other && is_model_file(other)) {
        print_error("%s: this is a data file, expected a model: the model comes first", path);
        print_remedy("write the two in the other order: %s %s", other, path);
        return;
    }
    print_error("%s: expected a model, as 'sparcl train -o' writes it, found another file", path);
    print_remedy("name a model; 'sparcl inspect' describes a data file");
}

exit_code read_model(const char *path, const char *other, sparcl_model **model) {
    sparcl_error error = {0};
    if (sparcl_model_load(model, path, &error) == SPARCL_OK) return EXIT_OK;
    if (error.status != SPARCL_E_FORMAT) return report(&error);
    if (!is_model_file(path)) {
        print_not_a_model(path, other);
        return exit_code_of(error.status);
    }
    const exit_code code = report(&error);
    print_remedy("train the model again; a model file comes from 'sparcl train -o'");
    return code;
}
