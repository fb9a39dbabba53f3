/* variant.c: the option --tuning, and the tunables that calls have used. */
#include "variant.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* ---- the option ----------------------------------------------------------------------------- */

static const char first_line[] = "sparcl tuning 1\n";

/* NAME=VALUE is a line "NAME * VALUE", NAME:CLASS=VALUE one "NAME CLASS VALUE". */
static exit_code from_settings(const char *what, char **text) {
    char *const lines = malloc(sizeof first_line + 3 * strlen(what) + 1);
    if (!lines) return out_of_memory();
    char *at = lines + sprintf(lines, "%s", first_line);
    for (const char *c = what; *c;) {
        const char *const equals = strchr(c, '=');
        const size_t length = strcspn(c, ",");
        if (!equals || equals > c + length) {
            print_error("--tuning: found \"%.*s\", expected NAME=VALUE or NAME:CLASS=VALUE",
                        (int)length, c);
            free(lines);
            return EXIT_USAGE;
        }
        const char *const colon = memchr(c, ':', (size_t)(equals - c));
        const char *const name_end = colon ? colon : equals;
        at += sprintf(at, "%.*s %.*s %.*s\n", (int)(name_end - c), c,
                      colon ? (int)(equals - colon - 1) : 1, colon ? colon + 1 : "*",
                      (int)(c + length - equals - 1), equals + 1);
        c += length + (c[length] == ',');
    }
    *text = lines;
    return EXIT_OK;
}

static exit_code from_file(const char *path, char **text) {
    enum { MAX_BYTES = 1 << 20 };
    FILE *const file = fopen(path, "rb");
    char *const bytes = malloc(MAX_BYTES);
    const size_t length = file && bytes ? fread(bytes, 1, MAX_BYTES, file) : 0;
    exit_code code = EXIT_OK;
    if (!bytes) {
        code = out_of_memory();
    } else if (!file || ferror(file)) {
        print_error("%s: the tuning cannot be read", path);
        print_remedy(
            "use a file from 'sparcl tune --text', none, or settings such as spmm.prefetch=8");
        code = EXIT_RUNTIME;
    } else if (length == MAX_BYTES || memchr(bytes, 0, length)) {
        print_error("%s: expected the text of a tuning, found %s", path,
                    length == MAX_BYTES ? "1 MiB and more" : "a byte 0");
        code = EXIT_CONTRACT;
    }
    if (code == EXIT_OK) {
        bytes[length] = '\0';
        *text = bytes;
    } else {
        free(bytes);
    }
    if (file) fclose(file);
    return code;
}

exit_code read_tuning(const char *what, char **text) {
    *text = NULL;
    if (!what) return EXIT_OK;
    if (strchr(what, '=')) return from_settings(what, text);
    if (strcmp(what, "none") != 0) return from_file(what, text);
    *text = calloc(1, 1);
    return *text ? EXIT_OK : out_of_memory();
}

/* ---- the tunables of calls ------------------------------------------------------------------ */

/* Add " name=value", each value once. */
static size_t add_values(sparcl_ctx *ctx, int t, char *text, size_t capacity) {
    const sparcl_tunable *const about = sparcl_tune_at(t);
    int32_t seen[SPARCL_TUNE_CLASSES];
    int count = 0;
    size_t length = 0;
    for (int c = 0; c < about->class_count && length < capacity; c++) {
        sparcl_tuned tuned;
        bool known = false;
        if (!sparcl_tune_used(ctx, t, c)) continue;
        if (sparcl_tune_get(ctx, t, c, &tuned) != SPARCL_OK) continue;
        for (int i = 0; i < count; i++)
            known = known || seen[i] == tuned.value;
        if (known) continue;
        seen[count++] = tuned.value;
        length += (size_t)snprintf(text + length, capacity - length, " %s=%d", about->name,
                                   (int)tuned.value);
    }
    return length < capacity ? length : capacity - 1;
}

const char *variant_text(sparcl_ctx *ctx, char text[VARIANT_BYTES]) {
    size_t at =
        (size_t)sprintf(text, "%s", sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU ? "gpu" : "cpu");
    for (int t = 0; t < sparcl_tune_count(); t++)
        at += add_values(ctx, t, text + at, VARIANT_BYTES - at);
    return text;
}
