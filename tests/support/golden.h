/* golden.h: reads the sections of tests/golden, whose README.md has the format. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "op_test.h"

enum {
    GOLDEN_STEPS = 10,
    GOLDEN_ARRAYS = 5,
    GOLDEN_SETTINGS = 48,
    GOLDEN_ROWS = 16,
    GOLDEN_COLUMNS = 4
};

typedef struct golden_array {
    char name[40];
    int64_t rows, columns;
    bool is_int;
    double at[GOLDEN_STEPS + 1][GOLDEN_ROWS * GOLDEN_COLUMNS]; /* before step 1, after each step */
} golden_array;

typedef struct golden {
    char name[64], optimizer[80], inputs[32];
    bool is_dense; /* what the system was handed */
    int settings, arrays;
    struct {
        char key[40], value[40];
    } setting[GOLDEN_SETTINGS];
    double lr[GOLDEN_STEPS + 1];
    golden_array array[GOLDEN_ARRAYS];
    /* The gradient of each step. */
    int64_t width, count[GOLDEN_STEPS + 1], ids[GOLDEN_STEPS + 1][GOLDEN_ROWS];
    float rows[GOLDEN_STEPS + 1][GOLDEN_ROWS * GOLDEN_COLUMNS];
} golden;

/* The file of a system, which is the first word of the names of its sections. */
static inline FILE *open_golden_system(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%.*s.txt", GOLDEN_DIR, (int)strcspn(name, "_."), name);
    FILE *const file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be opened", path);
    return file;
}

/* The same, at the beginning of a section. */
static inline FILE *open_golden(const char *name) {
    char line[512], found[64] = "";
    FILE *const file = open_golden_system(name);
    while (strcmp(found, name) != 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "== %63s", found) != 1) found[0] = 0;
    if (strcmp(found, name) != 0) fail_msg("tests/golden has no section %s", name);
    return file;
}

static inline float bits_to_float(const char *digits) {
    char eight[9] = {0};
    float x;
    memcpy(eight, digits, 8);
    const uint32_t bits = (uint32_t)strtoul(eight, NULL, 16);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A line "N ROW VALUES". */
static inline void read_golden_row(golden *g, const char *line, int step) {
    int n = 0, row = 0, used = 0;
    if (sscanf(line, "%d %d %n", &n, &row, &used) != 2 || n >= g->arrays)
        fail_msg("%s: expected a row, found: %s", g->name, line);
    golden_array *const a = &g->array[n];
    double *const to = a->at[step] + (int64_t)row * a->columns;
    char *at = (char *)line + used;
    for (int64_t j = 0; j < a->columns; ++j)
        to[j] = a->is_int ? (double)strtol(at, &at, 10) : (double)bits_to_float(at + 8 * j);
}

static inline void read_golden_array(golden *g, const char *line) {
    char type[8];
    golden_array *const a = &g->array[g->arrays++];
    assert_true(g->arrays <= GOLDEN_ARRAYS);
    if (sscanf(line, "array %*d %39s %ld %ld %7s", a->name, &a->rows, &a->columns, type) != 4)
        fail_msg("%s: expected an array, found: %s", g->name, line);
    assert_true(a->rows <= GOLDEN_ROWS && a->columns <= GOLDEN_COLUMNS);
    a->is_int = strcmp(type, "i64") == 0;
}

static inline void read_golden_case(golden *g) {
    char name[64], line[256];
    snprintf(name, sizeof name, "case_%s", g->inputs);
    FILE *const file = open_golden(name);
    int step = 0;
    int64_t k = 0, count = 0;
    g->width = g->array[0].columns;
    while (fgets(line, sizeof line, file) && strcmp(line, "end\n") != 0) {
        int used = 0;
        long id = 0;
        if (sscanf(line, "step %d rows %ld", &step, &count) == 2) {
            assert_true(step >= 1 && step <= GOLDEN_STEPS && count <= GOLDEN_ROWS);
            g->count[step] = count;
            k = 0;
        } else if (step > 0 && sscanf(line, "%ld %n", &id, &used) == 1) {
            g->ids[step][k] = id;
            for (int64_t j = 0; j < g->width; ++j)
                g->rows[step][k * g->width + j] = bits_to_float(line + used + 8 * j);
            ++k;
        }
    }
    assert_int_equal(step, GOLDEN_STEPS);
    fclose(file);
}

/* After each step the arrays that it did not change are those before it. */
static inline void begin_golden_step(golden *g, int step, double lr) {
    assert_true(step >= 1 && step <= GOLDEN_STEPS);
    g->lr[step] = lr;
    for (int n = 0; n < g->arrays; ++n)
        memcpy(g->array[n].at[step], g->array[n].at[step - 1], sizeof g->array[n].at[step]);
}

static inline golden *read_golden(const char *name) {
    golden *const g = must_have(calloc(1, sizeof *g));
    FILE *const file = open_golden(name);
    char line[512], gradient[16];
    int step = 0;
    double lr = 0;
    snprintf(g->name, sizeof g->name, "%s", name);
    while (fgets(line, sizeof line, file) && strcmp(line, "end\n") != 0) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "optimizer %79[^\n]", g->optimizer) == 1) continue;
        if (sscanf(line, "case %31s", g->inputs) == 1) continue;
        if (sscanf(line, "gradient %15s", gradient) == 1)
            g->is_dense = strcmp(gradient, "dense") == 0;
        else if (strncmp(line, "setting ", 8) == 0 && g->settings < GOLDEN_SETTINGS)
            g->settings += sscanf(line, "setting %39s %39s", g->setting[g->settings].key,
                                  g->setting[g->settings].value) == 2;
        else if (strncmp(line, "array ", 6) == 0)
            read_golden_array(g, line);
        else if (sscanf(line, "step %d lr %lf", &step, &lr) == 2)
            begin_golden_step(g, step, lr);
        else if (line[0] >= '0' && line[0] <= '9')
            read_golden_row(g, line, step);
    }
    assert_int_equal(step, GOLDEN_STEPS);
    fclose(file);
    read_golden_case(g);
    return g;
}

/* The value of a setting, by the names that systems have for it ("a b c"); NULL where it has none.
 */
static inline const char *golden_setting(const golden *g, const char *names) {
    for (int i = 0; i < g->settings; ++i) {
        const char *const at = strstr(names, g->setting[i].key);
        const size_t length = strlen(g->setting[i].key);
        if (at && (at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return g->setting[i].value;
    }
    return NULL;
}

static inline bool golden_flag(const golden *g, const char *names) {
    const char *const value = golden_setting(g, names);
    return value && strcmp(value, "true") == 0;
}

static inline double golden_number(const golden *g, const char *names, double otherwise) {
    const char *const value = golden_setting(g, names);
    return value && strcmp(value, "none") != 0 ? strtod(value, NULL) : otherwise;
}

#endif
