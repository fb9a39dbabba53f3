/* score_map_file.c: the memory of a calibration, and its tensor in a model file. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/score_map.h"

enum { METHODS = 3 };
static const char *const methods[METHODS] = {SPC_PLATT, SPC_ISOTONIC, SPC_TEMPERATURE};
static const char *const tensors[METHODS] = {"calibration_" SPC_PLATT, "calibration_" SPC_ISOTONIC,
                                             "calibration_" SPC_TEMPERATURE};

int spc_score_map_method(const char *name) {
    for (int m = 0; m < METHODS; m++)
        if (strcmp(methods[m], name) == 0) return m;
    return -1;
}

static bool is_isotonic(const spc_score_map *c) {
    return strcmp(c->method, SPC_ISOTONIC) == 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t bytes_of(const spc_score_map *c) {
    return (size_t)c->count * (size_t)c->width * sizeof(double);
}

static size_t begin_bytes(const spc_score_map *c) {
    return (size_t)(c->maps + 1) * sizeof(int64_t);
}

sparcl_status spc_score_map_make(spc_score_map *c, const char *method, int64_t count, int64_t maps,
                                 sparcl_error *error) {
    const bool is_one = strcmp(method, SPC_TEMPERATURE) == 0;
    *c = (spc_score_map){
        .method = method, .count = count, .width = is_one ? 1 : 2, .maps = is_one ? 1 : maps};
    if (maps > 1 && is_isotonic(c)) {
        c->width = 3;
        c->begins = spc_alloc_zero(NULL, 1, begin_bytes(c));
        if (!c->begins) return spc_fail_memory(error, "calibration", begin_bytes(c));
    }
    c->points = spc_alloc(NULL, bytes_of(c));
    return c->points ? SPARCL_OK : spc_fail_memory(error, "calibration", bytes_of(c));
}

void spc_score_map_free(spc_score_map *c) {
    spc_free(NULL, c->points, bytes_of(c));
    spc_free(NULL, c->begins, begin_bytes(c));
    *c = (spc_score_map){.method = NULL};
}

/* ---- in a file ------------------------------------------------------------------------------ */

bool spc_score_map_tensor(const spc_score_map *c, spc_tensor *tensor, spc_bytes *part) {
    if (!c->method) return false;
    *tensor = (spc_tensor){.name = tensors[spc_score_map_method(c->method)],
                           .dtype = "F64",
                           .rank = 2,
                           .shape = {c->count, c->width}};
    *part = (spc_bytes){c->points, bytes_of(c)};
    return true;
}

/* Where the points of each class begin; false: a class has none, or they are not in order. */
static bool find_begins(spc_score_map *c) {
    int64_t map = -1;
    for (int64_t i = 0; i < c->count; i++) {
        const double class = c->points[i * c->width];
        if (class == (double)map) continue;
        if (class != (double)(map + 1) || map + 1 == c->maps) return false;
        c->begins[++map] = i;
    }
    c->begins[c->maps] = c->count;
    return map == c->maps - 1;
}

static bool begins_at(const spc_score_map *c, int64_t i) {
    return i == 0 || (c->begins && c->points[i * c->width] != c->points[(i - 1) * c->width]);
}

/* What is wrong with it; NULL: nothing. */
static const char *wrong(const spc_score_map *c) {
    for (int64_t i = 0; i < c->width * c->count; i++)
        if (!isfinite(c->points[i])) return "finite numbers";
    if (c->width == 1 && !(c->points[0] > 0)) return "a number above 0";
    for (int64_t i = 0; is_isotonic(c) && i < c->count; i++) {
        const double *const at = c->points + i * c->width + c->width - 2;
        if (at[1] < 0 || at[1] > 1) return "probabilities from 0 to 1";
        if (!begins_at(c, i) && (at[0] <= at[-c->width] || at[1] < at[1 - c->width]))
            return "ascending scores";
    }
    return NULL;
}

/* The shape that a tensor must have. */
static const char *wrong_shape(const spc_tensor *t, const char *method, int64_t outputs) {
    if (strcmp(method, SPC_TEMPERATURE) == 0)
        return t->rank == 2 && t->shape[0] == 1 && t->shape[1] == 1 ? NULL : "the shape [1, 1]";
    if (strcmp(method, SPC_PLATT) == 0)
        return t->rank == 2 && t->shape[0] == outputs && t->shape[1] == 2 ? NULL
               : outputs == 1                                             ? "the shape [1, 2]"
                              : "the shape [classes, 2]";
    return t->rank == 2 && t->shape[0] >= 1 && t->shape[1] == (outputs > 1 ? 3 : 2) ? NULL
           : outputs == 1 ? "the shape [points, 2]"
                          : "the shape [points, 3]";
}

sparcl_status spc_score_map_read(const spc_tensors *in, int64_t outputs, spc_score_map *c,
                                 sparcl_error *error) {
    const spc_tensor *found = NULL;
    int m = 0;
    *c = (spc_score_map){.method = NULL};
    for (; m < METHODS && !found; m++) {
        found = spc_tensors_find(in, tensors[m]);
        if (found && strcmp(found->dtype, "F64") != 0) found = NULL; /* a parameter */
    }
    if (!found) return SPARCL_OK;
    const char *expected = wrong_shape(found, methods[m - 1], outputs);
    if (!expected) {
        SPC_TRY(spc_score_map_make(c, methods[m - 1], found->shape[0], outputs, error));
        SPC_TRY(spc_tensors_read(in, found, c->points, error));
        expected = wrong(c);
        if (!expected && c->begins && !find_begins(c)) expected = "points of each class in order";
    }
    if (!expected) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: expected %s; train the model again",
                    in->path, found->name, expected);
}
