/* common.c: what several commands do: open a device, read a data file, and say what went wrong. */
#include "common.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- words on standard error ---------------------------------------------------------------- */

static void say(const char *before, const char *format, va_list args) {
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    for (char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f) *c = '?';
    }
    fprintf(stderr, "%s%s\n", before, text);
}

void complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("sparcl: ", format, args);
    va_end(args);
}

void remedy(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("  to fix it: ", format, args);
    va_end(args);
}

void note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("sparcl: note: ", format, args);
    va_end(args);
}

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

exit_code out_of_memory(void) {
    complain("out of host memory");
    remedy("close other programs, or use a smaller file");
    return EXIT_MEMORY;
}

static const char *remedy_for(sparcl_status status) {
    switch (status) {
    case SPARCL_E_DEVICE:
        return "choose one with --device; 'sparcl devices' lists them";
    case SPARCL_E_MEMORY:
        return "take a device with more memory, or for train a smaller --batch";
    case SPARCL_E_BUILD:
    case SPARCL_E_OPENCL:
        return "try another --device; 'sparcl devices' lists them";
    case SPARCL_E_IO:
        return "check the path, its permissions and the room on the disk";
    case SPARCL_E_DIVERGED:
        return "use a smaller --lr, or scale the values of the data";
    case SPARCL_E_ARG:
        return "see 'sparcl help'";
    case SPARCL_E_UNSUPPORTED:
        return "try another --device";
    case SPARCL_OK: /* the others say it in their message */
    case SPARCL_E_SHAPE:
    case SPARCL_E_DTYPE:
    case SPARCL_E_ALIAS:
    case SPARCL_E_UNCHECKED:
    case SPARCL_E_DATA:
    case SPARCL_E_FORMAT:
    case SPARCL_E_INTERRUPTED:
        return NULL;
    }
    return NULL;
}

exit_code report(const sparcl_error *error) {
    const char *const known = remedy_for(error->status);
    complain("%s", error->message[0] ? error->message : sparcl_status_text(error->status));
    if (known) remedy("%s", known);
    return exit_code_of(error->status);
}

exit_code report_device(const sparcl_ctx *ctx, const sparcl_error *error) {
    const char *const log = sparcl_ctx_build_log(ctx);
    if (error->status == SPARCL_E_BUILD && log[0])
        fprintf(stderr, "the compiler of %s says:\n%s\n", sparcl_ctx_platform(ctx), log);
    return report(error);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void print_repairs(const char *path, const sparcl_data_info *info) {
    if (info->duplicates > 0)
        note("%s: %" PRId64 " repeated indices were summed (--strict refuses them)", path,
             info->duplicates);
    if (info->unsorted_rows > 0)
        note("%s: %" PRId64 " rows had unsorted indices and were sorted (--strict refuses them)",
             path, info->unsorted_rows);
    if (info->float64_source || info->narrowed_values > 0)
        note("%s: its values are %s, the model is float32: %" PRId64 " of %" PRId64 " were rounded",
             path, info->float64_source ? "float64" : "integers", info->narrowed_values, info->nnz);
}

void print_narrowed_labels(const char *path, sparcl_loss loss, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const double *const labels = sparcl_data_labels(data);
    int64_t narrowed = 0;
    if (loss != SPARCL_LOSS_SQUARED || !labels || strcmp(info->format, "npz") != 0) return;
    for (int64_t i = 0; i < info->label_count; i++)
        narrowed += (double)(float)labels[i] != labels[i];
    if (narrowed > 0)
        note("%s: %" PRId64 " of %" PRId64 " labels are not exactly a float32, which the model "
             "computes with, and were rounded",
             path, narrowed, info->label_count);
}

/* Would the file be read in this way? Standard input cannot be read again. */
static bool reads_as(const char *path, const sparcl_data_desc *desc, int64_t *columns) {
    sparcl_data *data = NULL;
    if (strcmp(path, "-") == 0) return false;
    if (sparcl_data_read(&data, path, desc, NULL) != SPARCL_OK) return false;
    *columns = sparcl_data_get_info(data)->columns;
    sparcl_data_free(data);
    return true;
}

static void remedy_width(input_role role, int64_t columns) {
    if (role == INPUT_OWN)
        remedy("use --columns %" PRId64 " or more, or --widen to take what the file has", columns);
    else if (role == INPUT_VALIDATES)
        remedy("use --columns %" PRId64 " or more, which makes the model wider", columns);
    else
        remedy(
            "use --widen, and features that the model does not have count as 0; or train it with "
            "--columns %" PRId64,
            columns);
}

static void remedy_base(input_role role) {
    if (role == INPUT_OWN)
        remedy("leave out --index-base 1: the file counts from 0");
    else if (role == INPUT_VALIDATES)
        remedy("this file counts from 0, the training file from 1: number them alike");
    else
        remedy("this file counts from 0, the model from 1: number its features as those of the "
               "training file were, or train on files that count from 0");
}

/* A refused file is tried again in the ways that options of the command offer. */
static void remedy_input(const char *path, input_role role, const sparcl_data_desc *desc) {
    sparcl_data_desc other = *desc;
    int64_t columns = 0;
    other.widen = 1;
    if (desc->columns > 0 && !desc->widen && reads_as(path, &other, &columns)) {
        remedy_width(role, columns);
        return;
    }
    other.index_base = SPARCL_BASE_0;
    if (desc->index_base == SPARCL_BASE_1 && reads_as(path, &other, &columns)) {
        remedy_base(role);
        return;
    }
    other = *desc;
    other.strict = 0;
    if (desc->strict && reads_as(path, &other, &columns))
        remedy("or leave out --strict, and they are sorted and summed");
}

exit_code read_input(const char *path, const input_options *options, sparcl_data **data) {
    sparcl_error error = {0};
    const sparcl_data_desc desc = {
        .labels = options->labels,
        .columns = options->columns,
        .index_base = (sparcl_index_base)options->index_base,
        .strict = options->strict,
        .multilabel = options->multilabel,
        .widen = options->widen,
    };
    const sparcl_status status = sparcl_data_read(data, path, &desc, &error);
    if (status == SPARCL_OK) {
        print_repairs(path, sparcl_data_get_info(*data));
        return EXIT_OK;
    }
    const exit_code code = report(&error);
    if (status == SPARCL_E_FORMAT) remedy_input(path, options->role, &desc);
    return code;
}

/* A file that holds no index 0 may count from 0 or from 1; of a single row nobody expects one. */
static void print_doubtful_base(const char *path, const sparcl_data_info *info) {
    if (strcmp(info->format, "svmlight") == 0 && info->index_base == 0 && info->rows > 1 &&
        info->min_index > 0)
        note("%s: the model counts features from 0 and no index here is 0; if the file counts from "
             "1, it is read wrongly: number its features from 0",
             path);
}

static exit_code read_for_model(const sparcl_model *model, const char *path,
                                const input_options *options, sparcl_data **data) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    input_options expected = *options;
    expected.role = INPUT_APPLIED;
    expected.columns = info->columns;
    if (expected.index_base == SPARCL_BASE_AUTO)
        expected.index_base = info->index_base ? SPARCL_BASE_1 : SPARCL_BASE_0;
    const exit_code code = read_input(path, &expected, data);
    if (code == EXIT_OK && options->index_base == SPARCL_BASE_AUTO)
        print_doubtful_base(path, sparcl_data_get_info(*data));
    return code;
}

static exit_code load_model(const char *path, sparcl_model **model) {
    sparcl_error error = {0};
    if (sparcl_model_load(model, path, &error) == SPARCL_OK) return EXIT_OK;
    const exit_code code = report(&error);
    if (error.status == SPARCL_E_FORMAT)
        remedy("train the model again; a model file comes from 'sparcl train -o'");
    return code;
}

exit_code with_model(const char *model_path, const char *path, const input_options *options,
                     const char *device, model_work work) {
    sparcl_ctx *ctx = NULL;
    sparcl_model *model = NULL;
    sparcl_data *data = NULL;
    exit_code code = load_model(model_path, &model);
    if (code == EXIT_OK) code = open_device(device, &ctx);
    if (code == EXIT_OK) code = read_for_model(model, path, options, &data);
    if (code == EXIT_OK) code = work(ctx, model, data, path);
    sparcl_data_free(data);
    sparcl_model_free(model);
    sparcl_ctx_close(ctx);
    return code;
}

/* ---- the device ----------------------------------------------------------------------------- */

const char *cache_folder(char *capacity, size_t bytes) {
    const char *const told = getenv("SPARCL_CACHE_DIR");
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    if (told) return told[0] ? told : NULL;
    int length = 0;
    if (xdg && xdg[0] == '/')
        length = snprintf(capacity, bytes, "%s", xdg);
    else if (home && home[0] == '/')
        length = snprintf(capacity, bytes, "%s/.cache", home);
    else
        return NULL;
    if (length < 0 || (size_t)length + sizeof "/sparcl" > bytes) return NULL;
    (void)mkdir(capacity, 0700); /* mostly there; where it cannot be made, there is no cache */
    strcpy(capacity + length, "/sparcl");
    return capacity;
}

static void print_log(void *user, sparcl_log_level level, const char *message) {
    (void)user;
    if (level >= SPARCL_LOG_WARNING) note("%s", message);
}

static sparcl_status select_device(const char *selector, char *position, size_t bytes,
                                   sparcl_error *error) {
    sparcl_device_list list = {0};
    int index = 0, matches = 0;
    sparcl_status status = sparcl_device_list_get(&list, NULL, error);
    if (status == SPARCL_OK)
        status = sparcl_device_select(&list, selector, &index, &matches, error);
    if (status == SPARCL_OK) {
        const sparcl_device *const device = &list.devices[index];
        snprintf(position, bytes, "%d:%d", device->platform, device->number);
        if (matches > 1)
            note("%d devices fit \"%s\"; taken is: %s, %s (%s)", matches,
                 selector ? selector : "auto", position, device->name,
                 list.platforms[device->platform].name);
    }
    sparcl_device_list_free(&list);
    return status;
}

/* For development: kernels of a class that the device's properties do not ask for. */
static sparcl_class kernel_class(void) {
    const char *const told = getenv("SPARCL_KERNEL_CLASS");
    if (told && strcmp(told, "cpu") == 0) return SPARCL_CLASS_CPU;
    if (told && strcmp(told, "gpu") == 0) return SPARCL_CLASS_GPU;
    return SPARCL_CLASS_AUTO;
}

/* What is open in `desc` is filled in. */
static sparcl_status open_as(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx,
                             sparcl_error *error) {
    char position[32], folder[4096];
    const char *const kernels = getenv("SPARCL_KERNEL_DIR");
    if (!selector) selector = getenv("SPARCL_DEVICE");
    const sparcl_status status = select_device(selector, position, sizeof position, error);
    if (status != SPARCL_OK) return status;
    desc.device = position;
    desc.device_class = kernel_class();
    desc.cache_dir = cache_folder(folder, sizeof folder);
    desc.kernel_dir = kernels && kernels[0] ? kernels : NULL;
    return sparcl_ctx_open(ctx, &desc, error);
}

sparcl_status open_context(const char *selector, sparcl_log_fn log, void *log_user,
                           sparcl_ctx **ctx, sparcl_error *error) {
    const sparcl_ctx_desc desc = {.log = log, .log_user = log_user};
    return open_as(selector, desc, ctx, error);
}

exit_code open_device_as(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx) {
    sparcl_error error = {0};
    desc.log = print_log;
    return open_as(selector, desc, ctx, &error) == SPARCL_OK ? EXIT_OK : report(&error);
}

exit_code open_device(const char *selector, sparcl_ctx **ctx) {
    return open_device_as(selector, (sparcl_ctx_desc){0}, ctx);
}
