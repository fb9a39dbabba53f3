/* cmd_train.c: sparcl train: trains a model from a data file. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input_file.h"
#include "message.h"
#include "model_kind.h"
#include "open_device.h"
#include "optimizer.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "sparcl/train.h"
#include "stop.h"
#include "train_curve.h"
#include "train_plan.h"
#include "train_profile.h"

static struct {
    input_options input;
    const char *valid, *valid_labels, *model, *kind, *own, *json, *svg, *device, *optimizer;
    int loss, no_bias, progress, profile, dry_run, exact;
    double lr, momentum, beta1, beta2, epsilon; /* NaN: not given */
    double l2, hold_out;
    int64_t epochs, batch; /* -1: not given */
    int64_t patience;
    int64_t device_memory;
    uint64_t seed;
    sparcl_parameter_optim parameter_optims[SPARCL_PARAMETER_OPTIMS]; /* from own */
    int parameter_optim_count;
    sparcl_optim optim; /* from --optimizer and the options of single settings */
} given = {.kind = "linear",
           .optimizer = "sgd",
           .lr = (double)NAN,
           .momentum = (double)NAN,
           .beta1 = (double)NAN,
           .beta2 = (double)NAN,
           .epsilon = (double)NAN,
           .epochs = -1,
           .batch = -1};

/* The objects of a run. */
typedef struct train_job {
    sparcl_ctx *ctx;
    sparcl_data *train, *valid;
    const sparcl_architecture *architecture;
    sparcl_model *model;
    sparcl_train_result result;
    sparcl_metrics metrics; /* on the validation data */
    train_profile profile;
    train_plan plan;
    progress_state progress;
    train_curve curve;
} train_job;

/* ---- before the run ------------------------------------------------------------------------- */

/* A run may take hours: check before that its files can be written. */
static exit_code check_folder(const char *path, bool must_be_file) {
    char folder[4096] = ".";
    struct stat about;
    if (stat(path, &about) == 0 &&
        (S_ISDIR(about.st_mode) || (must_be_file && !S_ISREG(about.st_mode)))) {
        print_error("%s: is %s, expected a file", path,
                    S_ISDIR(about.st_mode) ? "a folder" : "not a regular file");
        print_remedy("use another file");
        return EXIT_RUNTIME;
    }
    const char *const slash = strrchr(path, '/');
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder) return EXIT_OK; /* writing will report it */
    if (length > 0) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    if (access(folder, W_OK | X_OK) == 0) return EXIT_OK;
    print_error("%s: the folder %s cannot be written: %s", path, folder, strerror(errno));
    print_remedy("create the folder, or use another file");
    return EXIT_RUNTIME;
}

extern const tool_command command_train;

static void set_real(double *to, double from) {
    if (!isnan(from)) *to = from;
}

/* The defaults of the optimizer, overwritten by the options. Training has a learning rate of its
 * own for some rules. */
static exit_code take_optimizer(void) {
    sparcl_optim *const o = &given.optim;
    sparcl_train_desc usual;
    const exit_code code = read_optimizer(&command_train, given.optimizer, o);
    if (code != EXIT_OK) return code;
    sparcl_train_init(&usual, o->rule);
    if (!optimizer_has_key(given.optimizer, "lr") && !optimizer_has_key(given.optimizer, "profile"))
        o->lr = usual.optim.lr;
    set_real(&o->lr, given.lr);
    set_real(&o->momentum, given.momentum);
    set_real(&o->beta1, given.beta1);
    set_real(&o->beta2, given.beta2);
    set_real(&o->epsilon, given.epsilon);
    if (given.exact) o->moves = SPARCL_MOVES_EXACT;
    return EXIT_OK;
}

static exit_code take_own_optimizers(void) {
    sparcl_error error = {0};
    if (!given.own ||
        sparcl_parameter_optims_parse(given.parameter_optims, &given.parameter_optim_count,
                                      given.own, &error) == SPARCL_OK)
        return EXIT_OK;
    return usage_error(&command_train, "--parameter-optimizers: %s", error.message);
}

static exit_code check_given(void) {
    if (!given.model && !given.dry_run)
        return usage_error(&command_train, "-o MODEL is missing: the file of the model");
    if (given.dry_run && (given.profile || given.svg))
        return usage_error(&command_train,
                           "--dry-run trains nothing: it has no --profile or --svg");
    if (!(given.hold_out >= 0 && given.hold_out < 1))
        return usage_error(&command_train,
                           "--hold-out is %g, expected a number from 0 to less "
                           "than 1",
                           given.hold_out);
    if (given.patience > 0 && !given.valid && given.hold_out == 0)
        return usage_error(&command_train, "--patience needs --valid or --hold-out");
    if (given.hold_out > 0 && given.valid)
        return usage_error(&command_train, "--hold-out and --valid are both given, expected one");
    if (given.valid_labels && !given.valid)
        return usage_error(&command_train, "--valid-labels needs --valid");
    exit_code code = given.model ? check_folder(given.model, true) : EXIT_OK;
    if (code == EXIT_OK && given.json && strcmp(given.json, "-") != 0)
        code = check_folder(given.json, false);
    if (code == EXIT_OK && given.svg) code = check_folder(given.svg, false);
    return code;
}

/* Rows of the training file become the validation data. */
static exit_code hold_out(train_job *job) {
    sparcl_data *rest = NULL;
    sparcl_error error = {0};
    if (sparcl_data_split(job->train, given.hold_out, given.seed, &rest, &job->valid, &error) !=
        SPARCL_OK)
        return report(&error);
    sparcl_data_free(job->train);
    job->train = rest;
    return EXIT_OK;
}

/* The validation file is read with the width and the index base of the training data. --widen only
 * applies to the training file, because features that are only in the validation file cannot be
 * learned. */
static exit_code read_files(train_job *job, const char *path) {
    exit_code code = read_input(path, &given.input, &job->train);
    if (code == EXIT_OK && given.hold_out > 0) return hold_out(job);
    if (code != EXIT_OK || !given.valid) return code;
    const sparcl_data_info *const info = sparcl_data_get_info(job->train);
    input_options expected = given.input;
    expected.role = INPUT_VALIDATES;
    expected.widen = 0;
    expected.labels = given.valid_labels;
    expected.columns = info->columns;
    expected.index_base = info->index_base ? SPARCL_BASE_1 : SPARCL_BASE_0;
    return read_input(given.valid, &expected, &job->valid);
}

/* ---- the run -------------------------------------------------------------------------------- */

static int show_progress(void *user, const sparcl_train_progress *now) {
    train_job *const job = user;
    progress_show(&job->progress, now);
    profile_progress(&job->profile, now);
    if (given.svg) curve_add(&job->curve, now);
    return stop_was_requested();
}

static exit_code print_interrupted(void) {
    print_error("interrupted; no model was written");
    return EXIT_INTERRUPTED;
}

/* Rules without a closed form update all rows. */
static void print_cost(void) {
    if (given.l2 > 0 && !given.exact && !sparcl_rule_catches_up(given.optim.rule))
        print_note("with --l2, %s updates the complete table in every step, not only the rows of "
                   "the batch",
                   sparcl_rule_name(given.optim.rule));
}

static exit_code report_train(const train_job *job, const sparcl_error *error) {
    const exit_code code = report_device(job->ctx, error);
    if (!sparcl_data_get_info(job->train)->has_labels)
        print_remedy("use --labels FILE");
    else if (job->valid && !sparcl_data_get_info(job->valid)->has_labels)
        print_remedy("use --valid-labels FILE for the labels of the validation data");
    return code;
}

static sparcl_train_desc describe_run(train_job *job) {
    sparcl_train_desc desc;
    sparcl_train_init(&desc, given.optim.rule);
    desc.optim = given.optim;
    desc.loss = (sparcl_loss)given.loss;
    desc.l2 = given.l2;
    if (given.epochs >= 0) desc.epochs = given.epochs;
    if (given.batch >= 0) desc.batch = given.batch;
    desc.patience = given.patience;
    desc.seed = given.seed;
    desc.architecture = job->architecture;
    desc.parameter_optims = given.parameter_optims;
    desc.parameter_optim_count = given.parameter_optim_count;
    desc.no_bias = given.no_bias;
    desc.columns = sparcl_data_get_info(job->train)->columns;
    desc.device_memory = given.device_memory;
    desc.progress = show_progress;
    desc.progress_user = job;
    if (given.dry_run) desc.memory = plan_take;
    desc.memory_user = &job->plan;
    return desc;
}

static exit_code train(train_job *job, const char *path) {
    const sparcl_train_desc desc = describe_run(job);
    sparcl_error error = {0};
    job->progress = progress_begin(given.dry_run ? PROGRESS_NONE : (progress_form)given.progress);
    stop_set_mode(STOP_SOON);
    print_cost();
    print_narrowed_labels(path, desc.loss, job->train);
    profile_begin(&job->profile, given.profile ? job->ctx : NULL);
    const sparcl_status status =
        sparcl_train(job->ctx, &job->model, job->train, job->valid, &desc, &job->result, &error);
    progress_end(&job->progress);
    if (status != SPARCL_OK && status != SPARCL_E_INTERRUPTED) return report_train(job, &error);
    return status == SPARCL_OK ? EXIT_OK : print_interrupted();
}

static exit_code validate(train_job *job) {
    sparcl_error error = {0};
    if (!job->valid) return EXIT_OK;
    if (sparcl_eval(job->ctx, job->model, job->valid, &job->metrics, &error) == SPARCL_OK)
        return EXIT_OK;
    return report_device(job->ctx, &error);
}

static exit_code save_model(const train_job *job) {
    sparcl_error error = {0};
    stop_set_mode(STOP_NEVER);
    if (stop_was_requested()) return print_interrupted();
    return sparcl_model_save(job->model, given.model, &error) == SPARCL_OK ? EXIT_OK
                                                                           : report(&error);
}

/* ---- the result ----------------------------------------------------------------------------- */

static json_t *describe_valid(const train_job *job) {
    const sparcl_metrics *const m = &job->metrics;
    if (!job->valid) return json_object();
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "valid_rows", (json_int_t)m->rows, "valid_loss",
                     json_number(m->loss), "valid_accuracy", json_number(m->accuracy), "valid_auc",
                     json_number(m->auc), "valid_best_constant_loss",
                     json_number(m->best_constant_loss));
}

static void print_kind(char *text, size_t capacity, const sparcl_architecture *a) {
    snprintf(text, capacity, "%s%s%s", a->name, *a->settings ? ":" : "", a->settings);
}

static json_t *describe(const train_job *job) {
    const sparcl_data_info *const info = sparcl_data_get_info(job->train);
    const sparcl_train_result *const result = &job->result;
    char kind[SPARCL_MODEL_TEXT + 48];
    print_kind(kind, sizeof kind, job->architecture);
    json_t *const object = json_pack(
        "{s:I, s:I, s:I, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:b, s:I, s:I, s:o, s:o, s:o}",
        "rows", (json_int_t)info->rows, "cols", (json_int_t)info->columns, "nnz",
        (json_int_t)info->nnz, "kind", kind, "loss_function",
        sparcl_loss_name((sparcl_loss)given.loss), "optimizer", sparcl_rule_name(given.optim.rule),
        "epochs", (json_int_t)result->epochs, "steps", (json_int_t)result->steps, "loss",
        json_number(result->loss), "objective", json_number(result->objective), "seconds_per_pass",
        json_number(result->seconds_per_pass), "data_on_host", result->on_host, "peak_bytes",
        (json_int_t)sparcl_ctx_peak_memory(job->ctx), "narrowed_values",
        (json_int_t)info->narrowed_values, "device", json_text(sparcl_ctx_device(job->ctx)->name),
        "platform", json_text(sparcl_ctx_platform(job->ctx)), "model", json_text(given.model));
    if (object && given.patience > 0)
        json_object_set_new(object, "best_epoch", json_integer((json_int_t)result->best_epoch));
    json_t *const valid = describe_valid(job);
    if (object && valid) json_object_update(object, valid);
    json_decref(valid);
    return object;
}

static exit_code show_result(const train_job *job) {
    json_t *const object = describe(job);
    const bool on_stdout = given.json && strcmp(given.json, "-") == 0;
    exit_code code = EXIT_OK;
    if (!object) return out_of_memory();
    if (!on_stdout) code = print_object(json_incref(object), false);
    if (code == EXIT_OK && !on_stdout) code = profile_print(&job->profile);
    if (code == EXIT_OK && given.json) {
        profile_add(&job->profile, object);
        code = save_object(json_incref(object), given.json);
    }
    json_decref(object);
    return code;
}

static exit_code finish(train_job *job) {
    if (given.dry_run) return plan_show(&job->plan, job->ctx, job->train, &job->result, given.json);
    exit_code code = save_model(job);
    if (code == EXIT_OK && given.svg)
        code = curve_save(&job->curve, sparcl_loss_name((sparcl_loss)given.loss), given.svg);
    return code == EXIT_OK ? show_result(job) : code;
}

static exit_code run(int operand_count, const char *const *operands) {
    train_job job = {0};
    (void)operand_count;
    exit_code code = check_given();
    if (code == EXIT_OK) code = take_optimizer();
    if (code == EXIT_OK) code = take_own_optimizers();
    if (code == EXIT_OK) code = read_model_kind(&command_train, given.kind, &job.architecture);
    if (code != EXIT_OK) return code;
    stop_install();
    code = open_device_as(given.device,
                          (sparcl_ctx_desc){.profile = given.profile, .forecast = given.dry_run},
                          &job.ctx);
    if (code == EXIT_OK) code = read_files(&job, operands[0]);
    if (code == EXIT_OK) code = train(&job, operands[0]);
    if (code == EXIT_OK) code = profile_code(&job.profile);
    if (code == EXIT_OK) code = validate(&job);
    if (code == EXIT_OK) code = finish(&job);
    plan_end(&job.plan);
    curve_free(&job.curve);
    profile_end(&job.profile);
    sparcl_model_free(job.model);
    sparcl_architecture_free(job.architecture);
    sparcl_data_free(job.valid);
    sparcl_data_free(job.train);
    sparcl_ctx_close(job.ctx);
    return code;
}

/* ---- the table of the command --------------------------------------------------------------- */

static const char *const examples[] = {
    "two classes, with validation data",
    "sparcl train a9a.svm --valid a9a.t.svm --columns 123 -o a9a.safetensors",
    "the same, and the learning curve",
    "sparcl train a9a.svm --valid a9a.t.svm --columns 123 -o a9a.safetensors --svg a9a.svg",
    "many classes, Adam, 30 passes",
    "sparcl train sector.svm --loss softmax --optimizer adam --epochs 30 -o sector.safetensors",
    "a factorization machine with 16 factors",
    "sparcl train x.npz --labels y.npy --model fm:factors=16 --optimizer adagrad -o fm.safetensors",
    "AdamW as Keras 3 computes it",
    "sparcl train a9a.svm --optimizer adamw:profile=keras3,lr=0.01 -o a9a.safetensors",
    "Adam of all rows, at the cost of the rows of a batch",
    "sparcl train a9a.svm --optimizer adam --exact -o a9a.safetensors",
    "does it fit on the device?",
    "sparcl train a9a.svm --batch full --dry-run",
    "a SciPy matrix with its labels, on a GPU if there is one, else on a CPU",
    "sparcl train x.npz --labels y.npy --device gpu,cpu -o model.safetensors --json run.json",
    NULL,
};

#define COUNT(option_name, field, from, text)                                                      \
    {                                                                                              \
        .name = option_name, .type = OPTION_COUNT, .value = &given.field, .argument = "N",         \
        .minimum = from, .help = text                                                              \
    }
#define REAL(option_name, field, text)                                                             \
    {                                                                                              \
        .name = option_name, .type = OPTION_REAL, .value = &given.field, .argument = "X",          \
        .help = text                                                                               \
    }
#define TEXT(option_name, field, word, text)                                                       \
    {                                                                                              \
        .name = option_name, .type = OPTION_TEXT, .value = &given.field, .argument = word,         \
        .help = text                                                                               \
    }
#define CHOICE(option_name, field, words, text)                                                    \
    {                                                                                              \
        .name = option_name, .type = OPTION_CHOICE, .value = &given.field, .choices = words,       \
        .help = text                                                                               \
    }
#define FLAG(option_name, field, to, text)                                                         \
    { .name = option_name, .type = OPTION_FLAG, .value = &given.field, .set = to, .help = text }

static const tool_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value = &given.model,
     .argument = "MODEL",
     .help = "the file of the model; required"},
    TEXT("valid", valid, "FILE", "data on which the model is evaluated after each pass"),
    REAL("hold-out", hold_out, "part of the rows, drawn by --seed, to validate with"),
    CHOICE("loss", loss, "logistic|softmax|squared", "default logistic"),
    {.name = "model",
     .type = OPTION_TEXT,
     .value = &given.kind,
     .argument = "NAME[:KEY=VALUE,...]",
     .choices = model_words,
     .help = "default linear; sparcl help models lists names and keys"},
    {.name = "optimizer",
     .type = OPTION_TEXT,
     .value = &given.optimizer,
     .argument = "NAME[:KEY=VALUE,...]",
     .choices = optimizer_words,
     .help = "default sgd; sparcl help optimizers lists names and keys"},
    TEXT("parameter-optimizers", own, "P=NAME[:...];...",
         "optimizers of single parameters, such as weight=sgd:lr=0.1"),
    REAL("lr", lr, "learning rate; default 0.1, adagrad 0.01, adam 0.001"),
    COUNT("epochs", epochs, 1, "passes over the data; default 10"),
    COUNT("patience", patience, 1,
          "end after N passes without a lower validation loss; keep the best"),
    {.name = "batch",
     .type = OPTION_COUNT,
     .value = &given.batch,
     .argument = "N|full",
     .choices = "full",
     .minimum = 1,
     .help = "rows per step; default 1024; full: all"},
    REAL("l2", l2, "of mean loss + l2/2 |w|^2; default 0; slow with adagrad and adam"),
    FLAG("exact", exact, 1, "rows that a batch has not move too, but when they are next read"),
    {.name = "seed",
     .type = OPTION_SEED,
     .value = &given.seed,
     .argument = "N",
     .help = "seed of the row order; default 0"},
    FLAG("bias", no_bias, 0, "train a bias; the default"),
    FLAG("no-bias", no_bias, 1, "train without a bias"),
    REAL("momentum", momentum, "for momentum; default 0.9"),
    REAL("beta1", beta1, "for adam; default 0.9"),
    REAL("beta2", beta2, "for adam; default 0.999"),
    REAL("epsilon", epsilon, "default 1e-8 for adam, 1e-10 for adagrad"),
    OPTION_DEVICE(given.device),
    {.name = "device-memory",
     .type = OPTION_BYTES,
     .value = &given.device_memory,
     .argument = "SIZE",
     .minimum = 1,
     .help = "memory for data on the device, such as 512M; default half"},
    OPTION_COLUMNS(given.input),
    OPTION_LABELS(given.input),
    TEXT("valid-labels", valid_labels, "FILE", "the same for --valid"),
    OPTION_INDEX_BASE(given.input, OF_THE_FILE),
    OPTION_STRICT(given.input),
    FLAG("widen", input.widen, 1, "accept a training file that is wider than --columns"),
    FLAG("profile", profile, 1, "print the time of kernels, transfers and host"),
    FLAG("dry-run", dry_run, 1, "only print the device memory that the run would take"),
    TEXT("svg", svg, "FILE", "also write the learning curve, the loss after each pass, as SVG"),
    TEXT("json", json, "FILE", "also write the result as JSON; - is standard output"),
    CHOICE("progress", progress, PROGRESS_WORDS, "default auto: live on a terminal"),
    {0},
};

static const json_key keys[] = {
    {"rows, cols, nnz", "size of the training data"},
    {"kind", "name and settings of the model"},
    {"loss_function", "logistic, softmax or squared"},
    {"optimizer", "the name of its rule"},
    {"epochs", "completed passes"},
    {"best_epoch", "--patience: the pass of the model"},
    {"steps", "completed steps"},
    {"loss", "mean loss of the final model on the training data"},
    {"objective", "loss + l2/2 |w|^2"},
    {"seconds_per_pass", "median over the passes, with the data in memory"},
    {"data_on_host", "true when the data did not fit on the device"},
    {"peak_bytes", "device memory: the maximum of the run"},
    {"narrowed_values", "values that float32 does not represent exactly"},
    {"device", "name of the device"},
    {"platform", "name of its platform"},
    {"model", "file of the model"},
    {"valid_rows", "--valid: as for eval"},
    {"valid_loss", ""},
    {"valid_accuracy", ""},
    {"valid_auc", ""},
    {"valid_best_constant_loss", ""},
    {"profile", "--profile: seconds, launches_per_step, kernels, transfers"},
    {"batch_rows, batch_entries", "--dry-run: largest batch; capacity for its entries"},
    {"parameter_bytes", "--dry-run: parameters and optimizer states"},
    {"value_bytes", "--dry-run: other nodes of a step, which share memory"},
    {"unshared_value_bytes", "the same without sharing"},
    {"evaluation_bytes", "--dry-run: nodes that compute the loss of data sets"},
    {"data_bytes, valid_bytes", "--dry-run: data on the device; 0: they stay on the host"},
    {"batch_bytes", "--dry-run: copies of batches"},
    {"other_bytes", "--dry-run: patterns, scratch and temporary memory: the rest"},
    {"nodes", "--dry-run: name, operation, kind, shape, bytes, shares_with"},
    {0},
};

const tool_command command_train = {
    .name = "train",
    .summary = "train a model",
    .operands = "TRAIN -o MODEL [options]",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes = "Equal data, options and seed make the same file, byte for byte, on every device.\n"
             "An interrupt ends the run after the current step: exit 9, and no model is written.",
    .run = run,
};
