/* manifest.c: the manifest of a run: what it was, to explain it and to repeat it. */
#include "manifest.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "file_sum.h"
#include "message.h"
#include "output.h"
#include "sparcl/sparcl.h"

/* ---- options -------------------------------------------------------------------------------- */

/* The word of a choice; null where none was chosen. */
static json_t *describe_choice(const char *words, int chosen) {
    for (int i = 0; i < chosen && words; i++) {
        words = strchr(words, '|');
        words += words != NULL;
    }
    if (chosen < 0 || !words) return json_null();
    return json_stringn(words, strcspn(words, "|"));
}

/* What the option is now; null where nothing stands for it. */
static json_t *describe_value(const tool_option *option) {
    switch (option->type) {
    case OPTION_FLAG:
        return json_boolean(*(const int *)option->value == option->set);
    case OPTION_LINES:
    case OPTION_TEXT: {
        const char *const text = *(const char *const *)option->value;
        return text ? json_text(text) : json_null();
    }
    case OPTION_COUNT:
    case OPTION_BYTES: {
        const int64_t count = *(const int64_t *)option->value;
        return count < 0 ? json_null() : json_integer((json_int_t)count);
    }
    case OPTION_SEED: { /* JSON readers may round larger integers */
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)option->value);
        return json_string(text);
    }
    case OPTION_REAL:
        return json_number(*(const double *)option->value);
    case OPTION_CHOICE:
        return describe_choice(option->choices, *(const int *)option->value);
    case OPTION_TEXTS: /* no command with a manifest has one */
        break;
    }
    return json_null();
}

static json_t *describe_options(const tool_option *table) {
    static const char *const origins[] = {"default", "config", "command line"};
    json_t *const options = json_object();
    for (int i = 0; table[i].name; i++) {
        const tool_option *const option = &table[i];
        const option_origin from = option_origin_of(i);
        json_t *const value = from != FROM_DEFAULT && option_text(i) ? json_text(option_text(i))
                                                                     : describe_value(option);
        json_object_set_new(options, option->name,
                            json_pack("{s:o, s:s}", "value", value, "from", origins[from]));
    }
    return options;
}

/* ---- what it ran on ------------------------------------------------------------------------- */

static json_t *describe_data(const char *path, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    char fingerprint[24];
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, info->fingerprint);
    return json_pack("{s:o, s:s, s:I, s:I, s:I}", "path", path ? json_text(path) : json_null(),
                     "fingerprint", fingerprint, "rows", (json_int_t)info->rows, "columns",
                     (json_int_t)info->columns, "entries", (json_int_t)info->entries);
}

static json_t *describe_all_data(const manifest_run *run) {
    json_t *const data = json_object();
    json_object_set_new(data, "train", describe_data(run->train_path, run->train));
    if (run->valid) json_object_set_new(data, "valid", describe_data(run->valid_path, run->valid));
    return data;
}

static json_t *describe_device(const sparcl_ctx *ctx) {
    const sparcl_device *const device = sparcl_ctx_device(ctx);
    return json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(device->name), "platform",
                     json_text(sparcl_ctx_platform(ctx)), "driver", json_text(device->driver),
                     "version", json_text(device->version));
}

/* The settings with all defaults. */
static json_t *describe_settings(const sparcl_train_desc *desc) {
    char optimizer[SPARCL_OPTIM_TEXT], schedule[SPARCL_SCHEDULE_TEXT], seed[32];
    sparcl_optim_print(&desc->optim, optimizer);
    sparcl_schedule_print(&desc->schedule, schedule);
    snprintf(seed, sizeof seed, "%" PRIu64, desc->seed);
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:I, s:I, s:s}", "loss",
                     sparcl_loss_name(desc->loss), "optimizer", optimizer, "lr",
                     json_number(desc->optim.lr), "schedule", schedule, "l2", json_number(desc->l2),
                     "clip_global_norm", json_number(desc->clip_global_norm), "epochs",
                     (json_int_t)desc->epochs, "batch", (json_int_t)desc->batch, "seed", seed);
}

static json_t *describe_times(const manifest_run *run) {
    char text[40];
    const time_t began = (time_t)run->began;
    struct tm utc;
    if (!gmtime_r(&began, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        text[0] = '\0';
    return json_pack("{s:s, s:o}", "began", text, "seconds", json_number(run->seconds));
}

exit_code manifest_save(const manifest_run *run, const char *path) {
    char sum[SUM_TEXT], folder[4096];
    const exit_code code = file_sum(run->model_path, sum);
    if (code != EXIT_OK) return code;
    json_t *const all =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:O, s:o, s:{s:o, s:s}, s:o}", "format",
                  MANIFEST_FORMAT, "version", sparcl_version(), "command", "train", "folder",
                  getcwd(folder, sizeof folder) ? json_text(folder) : json_null(), "options",
                  describe_options(run->options), "settings", describe_settings(run->desc),
                  "device", describe_device(run->ctx), "data", describe_all_data(run), "result",
                  run->result, "passes", history_describe(run->history), "model", "path",
                  json_text(run->model_path), "sha256", sum, "times", describe_times(run));
    return save_object(all, path);
}

/* ---- repeating a run ------------------------------------------------------------------------ */

static const char *text_at(const char *object, const char *part, const char *key) {
    const json_t *at = json_object_get(config_manifest(), object);
    if (part) at = json_object_get(at, part);
    const char *const text = json_string_value(json_object_get(at, key));
    return text ? text : "";
}

exit_code manifest_check_data(const sparcl_data *train) {
    char found[24];
    if (!config_manifest()) return EXIT_OK;
    const char *const expected = text_at("data", "train", "fingerprint");
    snprintf(found, sizeof found, "%016" PRIx64, sparcl_data_get_info(train)->fingerprint);
    if (strcmp(found, expected) == 0) return EXIT_OK;
    print_note("the data are not those of the manifest: expected the fingerprint %s, found %s",
               expected, found);
    return EXIT_OK;
}

exit_code manifest_compare_model(const char *model_path) {
    char found[SUM_TEXT];
    if (!config_manifest()) return EXIT_OK;
    const exit_code code = file_sum(model_path, found);
    if (code != EXIT_OK) return code;
    if (strcmp(found, text_at("model", NULL, "sha256")) == 0)
        print_note("the model is that of the manifest, byte for byte");
    else
        print_note("the model is not that of the manifest: sparcl diff says what differs");
    return EXIT_OK;
}
