/* bench_matrix.c: the matrices for timing: read from a file, or generated from a description. */
#include "bench_matrix.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input_file.h"
#include "message.h"

/* The exponent of zipf: column c has a probability proportional to (c + 1)^-1.05. */
static const double zipf_exponent = 1.05;
/* Probabilities of the quarters of an R-MAT graph, as in Graph500. */
static const double quarter_a = 0.57, quarter_b = 0.19, quarter_c = 0.19;

/* ---- from a file ---------------------------------------------------------------------------- */

static void copy_entries(spec_matrix *m, const sparcl_data *data) {
    const void *const indices = sparcl_data_indices(data);
    const bool wide = sparcl_data_index_type(data) == SPARCL_INDEX64;
    const float *const values = sparcl_data_values(data);
    memcpy(m->offsets, sparcl_data_offsets(data), ((size_t)m->rows + 1) * sizeof *m->offsets);
    for (int64_t k = 0; k < m->nnz; k++) {
        m->indices[k] = wide ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k];
        m->values[k] = values[k];
    }
}

/* The file's name without its folder and without everything after the first dot. */
static void name_stem(char *name, size_t bytes, const char *file) {
    const char *const slash = strrchr(file, '/'), *const stem = slash ? slash + 1 : file;
    snprintf(name, bytes, "%.*s", (int)strcspn(stem, "."), stem);
}

static exit_code read_matrix(bench_matrix *m, const char *file) {
    const input_options as_it_is = {0};
    sparcl_data *data = NULL;
    const exit_code code = read_input(file, &as_it_is, &data);
    if (code != EXIT_OK) return code;
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const bool made = spec_matrix_alloc(&m->matrix, info->rows, info->columns, info->entries);
    if (made) copy_entries(&m->matrix, data);
    sparcl_data_free(data);
    name_stem(m->name, sizeof m->name, file);
    return made ? EXIT_OK : out_of_memory();
}

/* ---- from a description --------------------------------------------------------------------- */

/* A random number in [0, 1). */
static double draw(uint64_t *seed) {
    return (double)(spec_random(seed) >> 11) * 0x1p-53;
}

static void finish_rows(spec_matrix *m, uint64_t *seed) {
    for (int64_t r = 0; r < m->rows; r++) {
        const int64_t begin = m->offsets[r], length = m->offsets[r + 1] - begin;
        spec_sort_ints(m->indices + begin, length);
    }
    for (int64_t k = 0; k < m->nnz; k++)
        m->values[k] = spec_uniform(seed);
}

/* The cumulative probabilities of the columns. */
static double *zipf_table(int64_t cols) {
    double *const ends = malloc(((size_t)cols + 1) * sizeof *ends);
    double sum = 0;
    for (int64_t c = 0; ends && c < cols; c++)
        ends[c] = sum += pow((double)c + 1, -zipf_exponent);
    for (int64_t c = 0; ends && c < cols; c++)
        ends[c] /= sum;
    return ends;
}

static int64_t find_end(const double *ends, int64_t cols, double x) {
    int64_t low = 0, high = cols - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ends[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Columns in a random order, so that frequent ones are not adjacent. */
static int64_t *shuffled(int64_t cols, uint64_t *seed) {
    int64_t *const order = malloc(((size_t)cols + 1) * sizeof *order);
    for (int64_t c = 0; order && c < cols; c++) {
        const int64_t other = (int64_t)(spec_random(seed) % (uint64_t)(c + 1));
        order[c] = order[other];
        order[other] = c;
    }
    return order;
}

static bool make_rows(spec_matrix *m, int64_t rows, int64_t cols, int64_t per_row, bool zipf) {
    uint64_t seed = 1;
    double *const ends = zipf ? zipf_table(cols) : NULL;
    int64_t *const order = zipf ? shuffled(cols, &seed) : NULL;
    const bool made =
        (!zipf || (ends && order)) && spec_matrix_alloc(m, rows, cols, rows * per_row);
    for (int64_t r = 0; made && r < rows; r++)
        m->offsets[r + 1] = m->offsets[r] + per_row;
    for (int64_t k = 0; made && k < m->nnz; k++)
        m->indices[k] = zipf ? order[find_end(ends, cols, draw(&seed))]
                             : (int64_t)(spec_random(&seed) % (uint64_t)cols);
    if (made) finish_rows(m, &seed);
    free(ends);
    free(order);
    return made;
}

/* Recursive matrix (Chakrabarti, Zhan, Faloutsos 2004): 2^scale vertices, `edges` edges per vertex.
 */
static void draw_edge(int64_t scale, uint64_t *seed, int64_t *row, int64_t *col) {
    *row = *col = 0;
    for (int64_t bit = 0; bit < scale; bit++) {
        const double x = draw(seed);
        const bool low = x >= quarter_a + quarter_b;
        const bool right = low ? x >= quarter_a + quarter_b + quarter_c : x >= quarter_a;
        *row = 2 * *row + low;
        *col = 2 * *col + right;
    }
}

static bool make_graph(spec_matrix *m, int64_t scale, int64_t edges) {
    const int64_t vertices = INT64_C(1) << scale;
    if (!spec_matrix_alloc(m, vertices, vertices, vertices * edges)) return false;
    uint64_t seed = 1;
    int64_t row, col;
    for (int64_t k = 0; k < m->nnz; k++) {
        draw_edge(scale, &seed, &row, &col);
        m->offsets[row + 1]++;
    }
    for (int64_t r = 0; r < vertices; r++)
        m->offsets[r + 1] += m->offsets[r];
    seed = 1; /* the same edges again */
    for (int64_t k = 0; k < m->nnz; k++) {
        draw_edge(scale, &seed, &row, &col);
        m->indices[m->offsets[row]++] = col;
    }
    memmove(m->offsets + 1, m->offsets, (size_t)vertices * sizeof *m->offsets);
    m->offsets[0] = 0;
    finish_rows(m, &seed);
    return true;
}

/* Parse the numbers of "BxCxD": up to three, each from 1 to `maximum`. */
static int read_sizes(const char *text, const char *separators, int64_t maximum, int64_t sizes[3]) {
    int count = 0;
    for (const char *at = text; count < 3; at++) {
        char *end = NULL;
        sizes[count] = strtoll(at, &end, 10);
        if (end == at || sizes[count] < 1 || sizes[count] > maximum) return 0;
        count++;
        at = end;
        if (!*at) return count;
        if (!strchr(separators, *at)) return 0;
    }
    return 0;
}

static exit_code bad_description(const char *description) {
    print_error("--generate: expected " GENERATE_FORMATS ", found \"%s\"", description);
    print_remedy("such as uniform:100000x50000x20, zipf:65536x1000000x39 or rmat:17:16");
    return EXIT_USAGE;
}

static exit_code make_matrix(bench_matrix *m, const char *description) {
    enum { MAX_SIZE = 1000000000, MAX_SCALE = 30 };
    int64_t size[3];
    bool made;
    const char *const sizes = strchr(description, ':');
    const size_t length = sizes ? (size_t)(sizes - description) : 0;
    const bool is_zipf = length == 4 && strncmp(description, "zipf", length) == 0;
    if (is_zipf || (length == 7 && strncmp(description, "uniform", length) == 0)) {
        if (read_sizes(sizes + 1, "x", MAX_SIZE, size) != 3) return bad_description(description);
        made = make_rows(&m->matrix, size[0], size[1], size[2], is_zipf);
    } else if (length == 4 && strncmp(description, "rmat", length) == 0) {
        if (read_sizes(sizes + 1, ":", MAX_SIZE, size) != 2 || size[0] > MAX_SCALE)
            return bad_description(description);
        made = make_graph(&m->matrix, size[0], size[1]);
    } else {
        return bad_description(description);
    }
    snprintf(m->name, sizeof m->name, "%s", description);
    return made ? EXIT_OK : out_of_memory();
}

exit_code bench_matrix_open(bench_matrix *m, const char *file, const char *description) {
    memset(m, 0, sizeof *m);
    return file ? read_matrix(m, file) : make_matrix(m, description);
}

void bench_matrix_close(bench_matrix *m) {
    spec_matrix_free(&m->matrix);
}
