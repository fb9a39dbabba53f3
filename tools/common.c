/* common.c: what several commands do: open a device, read a data file, and say what went wrong. */
#include "common.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

void mend(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("  to mend it: ", format, args);
    va_end(args);
}

void note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("sparcl: note: ", format, args);
    va_end(args);
}

exit_code out_of_memory(void) {
    complain("out of host memory");
    mend("close other programs, or use a smaller file");
    return EXIT_MEMORY;
}

static const char *how_to_mend(sparcl_status status) {
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
    const char *const mending = how_to_mend(error->status);
    complain("%s", error->message[0] ? error->message : sparcl_status_text(error->status));
    if (mending) mend("%s", mending);
    return exit_code_of(error->status);
}

exit_code report_device(const sparcl_ctx *ctx, const sparcl_error *error) {
    const char *const log = sparcl_ctx_build_log(ctx);
    if (error->status == SPARCL_E_BUILD && log[0])
        fprintf(stderr, "the compiler of %s says:\n%s\n", sparcl_ctx_platform(ctx), log);
    return report(error);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void tell_repairs(const char *path, const sparcl_data_info *info) {
    if (info->duplicates > 0)
        note("%s: %" PRId64 " repeated indices were summed (--strict refuses them)", path,
             info->duplicates);
    if (info->unsorted_rows > 0)
        note("%s: %" PRId64 " rows had unsorted indices and were sorted (--strict refuses them)",
             path, info->unsorted_rows);
    if (info->float64_source)
        note("%s: its values are float64, the model is float32: %" PRId64 " of %" PRId64
             " were rounded",
             path, info->narrowed_values, info->nnz);
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
    if (sparcl_data_read(data, path, &desc, &error) != SPARCL_OK) return report(&error);
    tell_repairs(path, sparcl_data_get_info(*data));
    return EXIT_OK;
}

exit_code read_input_for(const sparcl_model *model, const char *path, const input_options *options,
                         sparcl_data **data) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    input_options wanted = *options;
    wanted.columns = info->columns;
    if (wanted.index_base == SPARCL_BASE_AUTO)
        wanted.index_base = info->index_base ? SPARCL_BASE_1 : SPARCL_BASE_0;
    const exit_code code = read_input(path, &wanted, data);
    if (code == EXIT_CONTRACT)
        note("the model has %" PRId64
             " columns and indices from %d; 'sparcl train --columns N' makes "
             "a wider one",
             info->columns, info->index_base);
    return code;
}

exit_code load_model(const char *path, sparcl_model **model) {
    sparcl_error error = {0};
    if (sparcl_model_load(model, path, &error) == SPARCL_OK) return EXIT_OK;
    if (error.status == SPARCL_E_FORMAT) {
        complain("%s", error.message);
        mend("train the model again; a model file comes from 'sparcl train -o'");
        return EXIT_CONTRACT;
    }
    return report(&error);
}

/* ---- the device ----------------------------------------------------------------------------- */

const char *cache_folder(char *room, size_t bytes) {
    const char *const told = getenv("SPARCL_CACHE_DIR");
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    if (told) return told[0] ? told : NULL;
    int length = 0;
    if (xdg && xdg[0] == '/')
        length = snprintf(room, bytes, "%s", xdg);
    else if (home && home[0] == '/')
        length = snprintf(room, bytes, "%s/.cache", home);
    else
        return NULL;
    if (length < 0 || (size_t)length + sizeof "/sparcl" > bytes) return NULL;
    (void)mkdir(room, 0700); /* mostly there; where it cannot be made, there is no cache */
    strcpy(room + length, "/sparcl");
    return room;
}

static void tell_log(void *user, sparcl_log_level level, const char *message) {
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

exit_code open_device(const char *selector, sparcl_ctx **ctx) {
    char position[32], folder[4096];
    const char *const kernels = getenv("SPARCL_KERNEL_DIR");
    sparcl_error error = {0};
    if (!selector) selector = getenv("SPARCL_DEVICE");
    if (select_device(selector, position, sizeof position, &error) != SPARCL_OK)
        return report(&error);
    const sparcl_ctx_desc desc = {
        .device = position,
        .device_class = kernel_class(),
        .cache_dir = cache_folder(folder, sizeof folder),
        .kernel_dir = kernels && kernels[0] ? kernels : NULL,
        .log = tell_log,
    };
    if (sparcl_ctx_open(ctx, &desc, &error) != SPARCL_OK) return report(&error);
    return EXIT_OK;
}
