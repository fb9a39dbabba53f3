/* train_options.c: the table of the options of sparcl train. */
#include "train_options.h"

#include <math.h>

#include "class_weights.h"
#include "model_kind.h"
#include "open_device.h"
#include "optimizer.h"
#include "progress.h"

train_options train_given = {.kind = "linear",
                             .solver = -1,
                             .calibrate = -1,
                             .loss = -1,
                             .lr = (double)NAN,
                             .momentum = (double)NAN,
                             .beta1 = (double)NAN,
                             .beta2 = (double)NAN,
                             .epsilon = (double)NAN,
                             .tolerance = 1e-6,
                             .clip_value = (double)NAN,
                             .clip_norm = (double)NAN,
                             .probe_l2 = 0.001,
                             .clip_global_norm = (double)NAN,
                             .epochs = -1,
                             .per_class = 20,
                             .batch = -1,
                             .input = {.csv_numbers = NUMBERS_AUTO}};

#define COUNT(option_name, field, from, text)                                                      \
    {                                                                                              \
        .name = option_name, .type = OPTION_COUNT, .value = &train_given.field, .argument = "N",   \
        .minimum = from, .help = text                                                              \
    }
#define REAL(option_name, field, text)                                                             \
    {                                                                                              \
        .name = option_name, .type = OPTION_REAL, .value = &train_given.field, .argument = "X",    \
        .help = text                                                                               \
    }
#define TEXT(option_name, field, word, text)                                                       \
    {                                                                                              \
        .name = option_name, .type = OPTION_TEXT, .value = &train_given.field, .argument = word,   \
        .help = text                                                                               \
    }
#define FILE_TEXT(role, option_name, field, word, text)                                            \
    {                                                                                              \
        .name = option_name, .type = OPTION_TEXT, .value = &train_given.field, .argument = word,   \
        .help = text, .file = role                                                                 \
    }
#define CHOICE(option_name, field, words, text)                                                    \
    {                                                                                              \
        .name = option_name, .type = OPTION_CHOICE, .value = &train_given.field, .choices = words, \
        .help = text                                                                               \
    }
#define FLAG(option_name, field, to, text)                                                         \
    {                                                                                              \
        .name = option_name, .type = OPTION_FLAG, .value = &train_given.field, .set = to,          \
        .help = text                                                                               \
    }

const tool_option train_rows[] = {
    OPTION_OUTPUT_AS(FILE_SAVED, false, train_given.model, "MODEL",
                     "the file of the model; required"),
    FILE_TEXT(FILE_READ, "valid", valid, "FILE",
              "data on which the model is evaluated after each pass"),
    REAL("hold-out", hold_out, "part of the rows, drawn by --seed, to validate with"),
    COUNT("hold-out-last", hold_out_last, 1, "the last N rows of the file, to validate with"),
    CHOICE("loss", loss, "logistic|softmax|squared|poisson|hinge",
           "default by the labels; autoencoder squared"),
    {.name = "model",
     .type = OPTION_TEXT,
     .value = &train_given.kind,
     .argument = "NAME[:KEY=VALUE,...]",
     .choices = model_words,
     .help = "default linear; sparcl help models lists names and keys"},
    FILE_TEXT(FILE_READ, "start", start, "MODEL",
              "begin with the parameters of a model of the same kind"),
    {.name = "optimizer",
     .type = OPTION_TEXT,
     .value = &train_given.optimizer,
     .argument = "NAME[:KEY=VALUE,...]",
     .choices = optimizer_words,
     .help = "default sgd, of other models adam; sparcl help optimizers lists all"},
    TEXT("parameter-optimizers", own, "P=NAME[:...];...",
         "optimizers of single parameters, such as weight=sgd:lr=0.1"),
    CHOICE("calibrate", calibrate, "platt|isotonic|temperature",
           "probabilities of classes as the rows that validate have them"),
    CHOICE("select", select, "loss|accuracy|auc|f1|average-precision",
           "without settings: what they are chosen by; default loss"),
    CHOICE("solver", solver, "steps|lbfgs", "lbfgs: all rows, with a line search; linear models"),
    REAL("l1", l1, "lbfgs: adds l1 |w|_1 to the objective; default 0"),
    REAL("tolerance", tolerance, "lbfgs: of the gradient, by that without weights; default 1e-6"),
    REAL("gradient-tolerance", gradient_tolerance,
         "lbfgs: or where no derivative is larger; default 0: by --tolerance"),
    REAL("lr", lr, "linear: searched for; with --epochs 0.1, adagrad 0.01, adam 0.001"),
    COUNT("epochs", epochs, 1, "passes; default as found, or 10 (bpr 50, gcn 200); of lbfgs 1000"),
    COUNT("patience", patience, 1,
          "end after N passes without a lower validation loss; keep the best"),
    {.name = "batch",
     .type = OPTION_COUNT,
     .value = &train_given.batch,
     .argument = "N|full",
     .choices = "full",
     .minimum = 1,
     .help = "rows per step; default a fiftieth of all, from 32 to 1024; full: all"},
    REAL("l2", l2, "of mean loss + l2/2 |w|^2; default 0; slow with adagrad and adam"),
    FLAG("exact", exact, 1, "rows that a batch has not move too, but when they are next read"),
    {.name = "seed",
     .type = OPTION_SEED,
     .value = &train_given.seed,
     .argument = "N",
     .help = "seed of the row order; default 0"},
    FLAG("bias", no_bias, 0, "train a bias; the default"),
    FLAG("no-bias", no_bias, 1, "train without a bias"),
    FLAG("raw-labels", raw_labels, 1,
         "squared loss: steps have labels as they are, not standardized"),
    REAL("momentum", momentum, "for momentum; default 0.9"),
    REAL("beta1", beta1, "for adam; default 0.9"),
    REAL("beta2", beta2, "for adam; default 0.999"),
    REAL("epsilon", epsilon, "default 1e-8 for adam, 1e-10 for adagrad"),
    {.name = "schedule",
     .type = OPTION_TEXT,
     .value = &train_given.schedule_text,
     .argument = "KIND[:KEY=VALUE,...]",
     .choices = "constant|step|exponential|cosine|polynomial|inverse-root",
     .help = "of the rates, such as cosine:warmup=100; the page runs.md has all"},
    REAL("clip-value", clip_value, "largest absolute value of an element of a gradient"),
    REAL("clip-norm", clip_norm, "largest norm of the gradient of each parameter"),
    REAL("clip-global-norm", clip_global_norm, "largest norm of all gradients together"),
    REAL("max-hours", max_hours, "end after so long, with the model of that moment"),
    FILE_TEXT(FILE_KEPT, "checkpoint", checkpoint.path, "FILE",
              "save the state of the run, to go on after its end"),
    TEXT("checkpoint-every", checkpoint.every, "N|Xs|Xm|Xh", "steps or time; default 10m"),
    FLAG("resume", checkpoint.resume, 1, "go on with --checkpoint where it exists, else begin"),
    FLAG("overwrite", checkpoint.overwrite, 1,
         "begin anew, and replace --checkpoint where it exists"),
    OPTION_DEVICE(train_given.device),
    {.name = "device-memory",
     .type = OPTION_BYTES,
     .value = &train_given.device_memory,
     .argument = "SIZE",
     .minimum = 1,
     .help = "memory for data on the device, such as 512M; default half"},
    OPTION_COLUMNS(train_given.input),
    OPTION_LABELS(train_given.input),
    {.name = "valid-format",
     .type = OPTION_CHOICE,
     .value = &train_given.valid_format,
     .argument = "FORMAT",
     .choices = FORMAT_WORDS,
     .help = "of --valid; default: that of the training file"},
    FILE_TEXT(FILE_READ, "valid-labels", valid_labels, "FILE", "labels of --valid"),
    OPTION_WEIGHTS(train_given.input),
    FILE_TEXT(FILE_READ, "valid-weights", valid_weights, "FILE", "weights of --valid"),
    TEXT("class-weights", class_weights, CLASS_WEIGHTS_ARGUMENT,
         "factors of the losses of each label; balanced: rare ones count more"),
    OPTION_FORMAT(train_given.input),
    OPTION_SPILL(train_given.input),
    OPTION_STREAM(train_given.input),
    OPTION_SCALE(train_given.input),
    OPTION_USERS(train_given.input),
    OPTION_HASH_BITS(train_given.input),
    OPTION_CROSS(train_given.input),
    OPTION_COMPACT_IDS(train_given.input),
    OPTION_ID_MAP(train_given.input),
    OPTIONS_OF_CSV(train_given.input),
    OPTION_CSV_NUMBERS(train_given.input,
                       "CSV: default auto: standardized, long-tailed counts as logarithms"),
    OPTION_CSV_TEXT(train_given.input),
    OPTION_INDEX_BASE(train_given.input, OF_THE_FILE),
    OPTION_STRICT(train_given.input),
    FLAG("widen", input.widen, 1, "accept a training file that is wider than --columns"),
    FLAG("probe", probe, 1, "autoencoder: train a linear classifier on the codes, with --labels"),
    REAL("probe-l2", probe_l2, "of that classifier, trained by lbfgs; default 0.001"),
    FLAG("profile", profile, 1, "print the time of kernels, transfers, nodes and host"),
    FLAG("dry-run", dry_run, 1, "only print the device memory that the run would take"),
    FILE_TEXT(FILE_READ, "graph", graph, "FILE",
              "for gcn: the edges between rows; rows are drawn by --seed:"),
    {.name = "graph-format",
     .type = OPTION_CHOICE,
     .value = &train_given.graph_format,
     .argument = "FORMAT",
     .choices = FORMAT_WORDS,
     .help = "of --graph; default: found from the content"},
    COUNT("per-class", per_class, 1, "rows of each label to train with; default 20"),
    COUNT("valid-nodes", valid_nodes, 1, "other rows to validate with; default none"),
    COUNT("test-nodes", test_nodes, 1, "other rows to test the model on; default none"),
    FILE_TEXT(FILE_WRITTEN, "svg", svg, "FILE",
              "also write the learning curve, the loss after each pass, as SVG"),
    FILE_TEXT(FILE_WRITTEN, "log", log, "FILE",
              "also write a line for each pass: JSON, or CSV for FILE.csv"),
    FILE_TEXT(FOLDER_WRITTEN, "tensorboard", tensorboard, "FOLDER",
              "also write the same numbers for TensorBoard"),
    COUNT("log-every", log_every, 1, "and a line after every N steps"),
    FILE_TEXT(FILE_WRITTEN, "manifest", manifest, "FILE",
              "also write what the run was, to repeat it: JSON"),
    FILE_TEXT(FILE_READ, "config", config, "FILE",
              "options from a JSON object, or from a manifest"),
    OPTION_JSON_FILE(train_given.json),
    CHOICE("progress", progress, PROGRESS_WORDS, "default auto: live on a terminal"),
    {0},
};
