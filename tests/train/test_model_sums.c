/* test_model_sums.c: some sixty small trainings; the SHA-256 of each model file stands in
 * model_sums.sha256, and is the same on every device and in every version. With --print the lines
 * of that file are printed, and nothing is compared. */
#include "op_test.h"

#include <unistd.h>

#include "model_trainings.h"
#include "sha256.h"
#include "sparcl/architecture.h"
#include "sparcl/ops/losses.h"

/* --- their data ------------------------------------------------------------------------------ */

enum { MADE_ROWS = 300, LONG_ROW = 13, ONE = 1 << 23 };

static const double labels[] = {-5, 2, 7, 40}; /* softmax; logistic has the first two */

static char folder[] = "/tmp/sparcl-sums-XXXXXX", data_path[64], model_path[64];

static void give_up(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* A number for a place in the data, whatever was requested before: 24 bits, from -ONE on. */
static int64_t draw(int64_t width, int64_t row, int64_t column) {
    uint64_t counter = (uint64_t)width << 40 | (uint64_t)row << 20 | (uint64_t)column;
    return (int64_t)(spec_random(&counter) >> 40) - ONE;
}

/* The next column of a row. Each row but the empty ones begins with column 0. */
static int64_t column_after(int64_t width, int64_t row, int64_t column) {
    const int64_t widest = 1 + width / (row == LONG_ROW ? 300 : 6);
    return column + 1 + (draw(width, row + MADE_ROWS, column) + ONE) % widest;
}

static int64_t first_column(int64_t width, int64_t row) {
    return row % 20 == 7 ? width : 0;
}

/* In whole numbers, so that it is the same wherever it is made. */
static double label_of(sparcl_loss loss, int64_t width, int64_t row) {
    int64_t sum = draw(width, row, width); /* noise */
    for (int64_t c = first_column(width, row); c < width; c = column_after(width, row, c))
        sum += 2 * (c % 3 - 1) * draw(width, row, c);
    if (loss == SPARCL_LOSS_SQUARED) return (double)sum / (2 * ONE);
    return labels[loss == SPARCL_LOSS_LOGISTIC ? sum > 0 : (sum > -ONE) + (sum > 0) + (sum > ONE)];
}

/* LIBSVM text, or libFFM text with five fields. */
static void write_data(sparcl_loss loss, int64_t width, bool has_fields) {
    FILE *const file = fopen(data_path, "w");
    if (!file) give_up(data_path, "cannot be written");
    for (int64_t row = 0; row < MADE_ROWS; ++row) {
        fprintf(file, "%.17g", label_of(loss, width, row));
        for (int64_t c = first_column(width, row); c < width; c = column_after(width, row, c)) {
            if (has_fields) fprintf(file, " %d", (int)(c % 5));
            fprintf(file, "%c%d:%.9g", has_fields ? ':' : ' ', (int)c + 1,
                    (double)draw(width, row, c) / ONE);
        }
        fputc('\n', file);
    }
    if (fclose(file) != 0) give_up(data_path, "cannot be written");
}

static sparcl_data *make_data(source from, sparcl_loss loss, bool has_fields) {
    const char *const path = from == HEART ? SPARCL_EXAMPLE_DATA_DIR "/heart_scale" : data_path;
    const sparcl_data_desc desc = {.columns = widths[from],
                                   .index_base = SPARCL_BASE_1,
                                   .format = has_fields ? SPARCL_DATA_LIBFFM : SPARCL_DATA_AUTO};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    if (from != HEART) write_data(loss, widths[from], has_fields);
    if (sparcl_data_read(&data, path, &desc, &error) != SPARCL_OK) give_up(path, error.message);
    return data;
}

/* A graph of the rows, with weights from 0; or what rows, as users, have. */
static sparcl_data *make_edges(void) {
    static int64_t offsets[MADE_ROWS + 1];
    static int32_t columns[MADE_ROWS * MADE_ROWS];
    static float weights[MADE_ROWS * MADE_ROWS];
    const sparcl_data_arrays arrays = {.rows = MADE_ROWS,
                                       .columns = MADE_ROWS,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = columns,
                                       .values = weights};
    sparcl_data *edges = NULL;
    sparcl_error error = {0};
    int64_t at = 0;
    for (int64_t row = 0; row < MADE_ROWS; ++row) {
        for (int64_t c = first_column(MADE_ROWS, row); c < MADE_ROWS;
             c = column_after(MADE_ROWS, row, c)) {
            columns[at] = (int32_t)c;
            weights[at++] = (float)llabs(draw(MADE_ROWS, row, c)) / ONE;
        }
        offsets[row + 1] = at;
    }
    if (sparcl_data_create(&edges, &arrays, &error) != SPARCL_OK) give_up("edges", error.message);
    return edges;
}

/* A source package has no example data. */
static bool has_data(source from) {
    return from != HEART || access(SPARCL_EXAMPLE_DATA_DIR "/heart_scale", R_OK) == 0;
}

/* --- one training ---------------------------------------------------------------------------- */

typedef struct handing {
    const sparcl_data *data;
    int64_t batch, offsets[MADE_ROWS + 1], *wide;
} handing;

/* The rows as stored; indices are of 32 bits and of 64 in turn. */
static sparcl_status hand_out(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    handing *h = user;
    const int64_t first = step * h->batch, *offsets = sparcl_data_offsets(h->data) + first;
    const int64_t rows = first + h->batch < MADE_ROWS ? h->batch : MADE_ROWS - first;
    const int32_t *const indices = (const int32_t *)sparcl_data_indices(h->data) + offsets[0];
    const bool is_wide = (epoch + step) % 2 == 1;
    for (int64_t i = 0; i <= rows; ++i)
        h->offsets[i] = offsets[i] - offsets[0];
    for (int64_t k = 0; k < h->offsets[rows]; ++k)
        h->wide[k] = indices[k];
    *batch = (sparcl_batch){.rows = rows,
                            .index_type = is_wide ? SPARCL_INDEX64 : SPARCL_INDEX32,
                            .offsets = h->offsets,
                            .indices = is_wide ? (const void *)h->wide : indices,
                            .values = sparcl_data_values(h->data) + offsets[0],
                            .labels = sparcl_data_labels(h->data) + first};
    return SPARCL_OK;
}

static sparcl_status train_handed(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                                  const sparcl_train_desc *desc, sparcl_train_result *result,
                                  sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const size_t entries = (size_t)info->entries;
    handing h = {.data = data,
                 .batch = desc->batch == 0 ? MADE_ROWS : desc->batch,
                 .wide = must_have(calloc(entries, sizeof *h.wide))};
    const sparcl_batch_source from = {.next = hand_out,
                                      .user = &h,
                                      .columns = info->columns,
                                      .steps = (MADE_ROWS + h.batch - 1) / h.batch,
                                      .index_base = 1,
                                      .labels = labels,
                                      .classes = desc->loss == SPARCL_LOSS_LOGISTIC ? 2 : 4};
    const sparcl_status status = sparcl_train_source(ctx, model, &from, desc, result, error);
    free(h.wide);
    return status;
}

static sparcl_status train_on_graph(sparcl_ctx *ctx, sparcl_model **model, const training *t,
                                    const sparcl_data *data, sparcl_train_desc *desc,
                                    sparcl_train_result *result, sparcl_error *error) {
    sparcl_data *const edges = make_edges();
    int64_t rows[100];
    for (int64_t i = 0; i < 100; ++i)
        rows[i] = 299 - 2 * i;
    const sparcl_train_nodes nodes = {.edges = edges,
                                      .train = rows,
                                      .train_count = 60,
                                      .valid = rows + 60,
                                      .valid_count = t->place & VALID ? 40 : 0};
    if (t->place & NODES) desc->nodes = &nodes;
    const sparcl_data *const valid = (t->place & EDGES) && (t->place & VALID) ? edges : NULL;
    const sparcl_status status =
        sparcl_train(ctx, model, t->place & EDGES ? edges : data, valid, desc, result, error);
    desc->nodes = NULL;
    sparcl_data_free(edges);
    return status;
}

/* NULL as kind: a linear model. */
static sparcl_status train_as_told(sparcl_ctx *ctx, sparcl_model **model, const training *t,
                                   const char *kind, sparcl_error *error) {
    sparcl_data *const data = make_data(t->source, t->desc.loss, t->place & FIELDS);
    const sparcl_data *const valid = t->place & VALID ? data : NULL;
    const sparcl_architecture *architecture = NULL;
    sparcl_train_desc desc = t->desc;
    sparcl_train_result result = {0};
    if (kind && sparcl_architecture_parse(&architecture, kind, error) != SPARCL_OK)
        give_up(t->name, error->message);
    desc.architecture = architecture;
    if (t->place & ON_HOST) desc.device_memory = 1;
    sparcl_status status =
        t->place & (NODES | EDGES) ? train_on_graph(ctx, model, t, data, &desc, &result, error)
        : t->place & HANDED        ? train_handed(ctx, model, data, &desc, &result, error)
                                   : sparcl_train(ctx, model, data, valid, &desc, &result, error);
    sparcl_architecture_free(architecture);
    sparcl_data_free(data);
    if (status == SPARCL_OK && !(t->place & (ON_HOST | HANDED)) != !result.on_host)
        give_up(t->name, "the rows did not lie where they should");
    if (status == SPARCL_OK) status = sparcl_model_save(*model, model_path, error);
    return status;
}

static void sum_file(const char *path, char text[SHA256_TEXT]) {
    unsigned char bytes[4096];
    size_t count;
    sha256 sum;
    FILE *const file = fopen(path, "rb");
    if (!file) give_up(path, "cannot be read");
    sha256_begin(&sum);
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        sha256_add(&sum, bytes, count);
    fclose(file);
    sha256_end(&sum, text);
}

/* --- what is expected ------------------------------------------------------------------------ */

static void find_wanted(const char *name, char expected[SHA256_TEXT]) {
    char has[80];
    bool found = false;
    FILE *const file = fopen(MODEL_SUMS, "r");
    while (file && !found && fscanf(file, "%64s %79s", expected, has) == 2)
        found = strcmp(has, name) == 0;
    if (file) fclose(file);
    if (!found) strcpy(expected, "none");
}

static bool try_training(sparcl_ctx *ctx, const training *t, const char *kind, bool print) {
    char found[SHA256_TEXT], expected[SHA256_TEXT];
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    const sparcl_status status = train_as_told(ctx, &model, t, kind, &error);
    sparcl_model_free(model);
    if (status != SPARCL_OK) {
        fprintf(stderr, "FAILED %s: %s: %s\n", t->name, sparcl_status_name(status), error.message);
        return false;
    }
    sum_file(model_path, found);
    if (print) return printf("%s  %s\n", found, t->name) > 0;
    find_wanted(t->name, expected);
    if (strcmp(found, expected) == 0) return true;
    fprintf(stderr, "FAILED %s: the model file has the sum %s, expected %s of %s\n", t->name, found,
            expected, MODEL_SUMS);
    return false;
}

int main(int argc, char **argv) {
    const bool print = argc == 2 && strcmp(argv[1], "--print") == 0;
    int passed = 0, failed = 0, left_out = 0;
    if (argc > 1 && !print) give_up(argv[1], "the one argument is --print");
    sparcl_ctx *const ctx = test_open();
    if (!mkdtemp(folder)) give_up(folder, "cannot be made");
    snprintf(data_path, sizeof data_path, "%s/data", folder);
    snprintf(model_path, sizeof model_path, "%s/model", folder);
    for (size_t i = 0; i < COUNT(trainings); ++i)
        if (!has_data(trainings[i].source))
            ++left_out;
        else if (test_is_chosen((int)i, test_every(), 0))
            ++*(try_training(ctx, &trainings[i], NULL, print) ? &passed : &failed);
    for (size_t i = 0; i < COUNT(others); ++i)
        if (test_is_chosen((int)i, test_every(), 1))
            ++*(try_training(ctx, &others[i].run, others[i].model, print) ? &passed : &failed);
    unlink(data_path);
    unlink(model_path);
    rmdir(folder);
    sparcl_ctx_close(ctx);
    FILE *const to = print ? stderr : stdout;
    if (left_out) fprintf(to, "%d left out: there is no heart_scale in examples/data\n", left_out);
    fprintf(to, "%d passed, %d failed\n", passed, failed);
    return failed > 0 || (print && left_out > 0);
}
