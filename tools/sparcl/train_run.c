/* train_run.c: a run of sparcl train: trains a model from a data file. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "class_weights.h"
#include "column_sizes.h"
#include "files.h"
#include "live_line.h"
#include "manifest.h"
#include "message.h"
#include "model_file.h"
#include "model_input.h"
#include "model_kind.h"
#include "not_finite.h"
#include "open_device.h"
#include "output.h"
#include "sparcl/model.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim_text.h"
#include "stop.h"
#include "train_checkpoint.h"
#include "train_job.h"
#include "train_modes.h"
#include "train_notes.h"
#include "train_options.h"
#include "unknown_labels.h"
#include "user_items.h"
#include "verbose.h"
#include "word_labels.h"
#include "worse_model.h"

/* ---- before the run ------------------------------------------------------------------------- */

/* Rows of the training file become the validation data. */
static exit_code hold_out(train_job *job) {
    sparcl_data *rest = NULL;
    sparcl_error error = {0};
    const int64_t last = train_given.hold_out_last, rows = sparcl_data_get_info(job->train)->rows;
    if (last >= rows && last > 0)
        return usage_error("--hold-out-last is %lld, expected less than the %lld "
                           "rows of the file",
                           (long long)last, (long long)rows);
    const sparcl_status status =
        last > 0 ? sparcl_data_cut(job->train, rows - last, &rest, &job->valid, &error)
                 : sparcl_data_split(job->train, train_given.hold_out, train_given.seed, &rest,
                                     &job->valid, &error);
    if (status != SPARCL_OK) return report(&error);
    sparcl_data_free(job->train);
    job->train = rest;
    return EXIT_OK;
}

/* A ranking is trained with what users have. */
static exit_code take_pairs(train_job *job) {
    exit_code code = EXIT_OK;
    if (job->architecture->task == SPARCL_TASK_RANK) code = keep_pairs(&job->train);
    if (code == EXIT_OK && job->valid && job->architecture->task == SPARCL_TASK_RANK)
        code = keep_pairs(&job->valid);
    return code;
}

/* The validation file is read with the width, the ids and the index base of the training data.
 * --widen only applies to the training file, because features that are only in the validation file
 * cannot be learned. */
static exit_code read_data(train_job *job, const char *path) {
    if (job->start_model) take_columns(&train_given.input, sparcl_model_get_info(job->start_model));
    train_given.input.labelled_only = job->architecture->task == SPARCL_TASK_LABELS;
    train_given.input.ratings = job->architecture->task == SPARCL_TASK_RANK;
    train_given.input.csv_fields = job->architecture && job->architecture->reads_fields;
    exit_code code = read_input(path, &train_given.input, &job->train);
    if (code == EXIT_OK && (train_given.hold_out > 0 || train_given.hold_out_last > 0))
        return hold_out(job);
    if (code != EXIT_OK || !train_given.valid) return code;
    const sparcl_data_info *const info = sparcl_data_get_info(job->train);
    input_options expected = train_given.input;
    expected.role = INPUT_VALIDATES;
    expected.widen = 0;
    expected.users = 0;
    if (train_given.valid_format) expected.format = train_given.valid_format;
    expected.labels = train_given.valid_labels;
    expected.weights = train_given.valid_weights;
    expected.columns = info->columns;
    expected.index_base = info->index_base ? SPARCL_BASE_1 : SPARCL_BASE_0;
    expected.csv_description = sparcl_data_csv_columns(job->train);
    if (expected.csv_description) expected.csv_columns = expected.crosses = NULL;
    if (info->hashed_ids) expected.hash_bits = info->hash_bits;
    if (info->id_count > 0 && !expected.id_map) {
        expected.compact_ids = 0;
        expected.feature_ids = sparcl_data_column_ids(job->train);
        expected.feature_id_count = info->id_count;
    }
    if (!expected.id_map) expected.known_ids = sparcl_data_known_ids(job->train);
    if (expected.known_ids.nodes) expected.compact_ids = 0;
    return read_input(train_given.valid, &expected, &job->valid);
}

static exit_code read_files(train_job *job, const char *path) {
    const exit_code code = read_data(job, path);
    return code == EXIT_OK ? take_pairs(job) : code;
}

/* ---- the run -------------------------------------------------------------------------------- */

static int show_progress(void *user, const sparcl_train_progress *now) {
    train_job *const job = user;
    if (train_given.svg) curve_add(&job->curve, now);
    history_add(&job->history, now);
    log_add(&job->log, now);
    if (now->is_earlier) return 0;
    if (!job->is_auto || job->progress.format == PROGRESS_LIVE)
        progress_show(&job->progress, now); /* a search has lines of its own */
    profile_progress(&job->profile, now);
    checkpoint_watch(now);
    return checkpoint_stop(now->step < now->steps);
}

/* Rules without a closed form update all rows. */
static void print_cost(void) {
    if (train_given.l2 > 0 && !train_given.exact && !sparcl_rule_catches_up(train_given.optim.rule))
        print_note("with --l2, %s updates the complete table in every step, not only the rows of "
                   "the batch",
                   sparcl_rule_name(train_given.optim.rule));
}

static exit_code report_train(const train_job *job, const sparcl_error *error) {
    const exit_code code = report_device(job->ctx, error);
    if (!sparcl_data_get_info(job->train)->has_labels)
        print_label_remedy(job->train, "--labels");
    else if (job->valid && !sparcl_data_get_info(job->valid)->has_labels)
        print_remedy("use --valid-labels FILE for the labels of the validation data");
    if (error->status == SPARCL_E_DIVERGED && train_given.raw_labels)
        print_remedy("leave out --raw-labels");
    return code;
}

static exit_code read_start(train_job *job) {
    return train_given.start ? read_model(train_given.start, NULL, &job->start_model) : EXIT_OK;
}

/* Whole numbers may be names of classes, or quantities: the labels alone do not say it. */
static void print_label_use(const sparcl_data *data, const sparcl_label_summary *s,
                            bool have_one_score) {
    enum { MAX_CLASSES = 1000, USUAL_CLASSES = 3 };
    char place[256];
    const bool are_few = s->different <= MAX_CLASSES;
    const bool are_words = sparcl_data_get_info(data)->label_words > 0;
    sparcl_data_place(data, -1, place, sizeof place);
    if (have_one_score)
        print_note("%s: %lld different whole numbers are taken for numbers: squared loss, as a "
                   "model of the kind %s has one score (--model linear or mlp takes them for "
                   "classes)",
                   place, (long long)s->different, train_given.kind);
    else if (s->usual_loss == SPARCL_LOSS_SOFTMAX && !are_words && s->different > USUAL_CLASSES)
        print_note("%s: %lld different whole numbers are taken for classes: softmax loss "
                   "(--loss squared or poisson takes them for numbers)",
                   place, (long long)s->different);
    else if (s->are_many && s->usual_loss == SPARCL_LOSS_SQUARED && (are_few || s->are_numbers))
        print_note("%s: %lld different whole numbers, %s, are taken for numbers: squared loss "
                   "(--loss softmax takes them for classes)",
                   place, (long long)s->different,
                   s->are_numbers ? "as frequent as their neighbours, as ages are"
                                  : "with less than ten rows each");
}

static exit_code choose_label_loss(const train_job *job, sparcl_loss *loss) {
    sparcl_label_summary summary;
    sparcl_error error = {0};
    if (sparcl_labels_summarize(&summary, job->train, &error) != SPARCL_OK)
        return report_train(job, &error);
    const bool have_one_score = summary.usual_loss == SPARCL_LOSS_SOFTMAX &&
                                has_one_score(train_given.kind) &&
                                sparcl_data_get_info(job->train)->label_words == 0;
    print_label_use(job->train, &summary, have_one_score);
    *loss = have_one_score ? SPARCL_LOSS_SQUARED : summary.usual_loss;
    return EXIT_OK;
}

/* Where none is given: that of the model to begin with, what the model is for, or the labels. */
static exit_code choose_loss(const train_job *job) {
    const sparcl_task task = job->architecture->task;
    sparcl_loss loss = task == SPARCL_TASK_RECONSTRUCT ? SPARCL_LOSS_SQUARED : SPARCL_LOSS_LOGISTIC;
    exit_code code = EXIT_OK;
    if (train_given.loss >= 0) return EXIT_OK;
    if (job->start_model)
        loss = sparcl_model_get_info(job->start_model)->loss;
    else if (task == SPARCL_TASK_LABELS || task == SPARCL_TASK_NODES)
        code = choose_label_loss(job, &loss);
    train_given.loss = (int)loss;
    return code;
}

/* Steps of rankings are of pairs of a user and an item, those of graphs of nodes. */
static int64_t choose_batch(const train_job *job, int64_t usual) {
    const sparcl_data_info *const info = sparcl_data_get_info(job->train);
    const sparcl_task task = job->architecture->task;
    const train_mode mode = train_mode_of();
    const bool searches = mode == MODE_SEARCH || mode == MODE_RATE;
    if (train_given.batch >= 0) return train_given.batch;
    if (task == SPARCL_TASK_NODES) return usual;
    return sparcl_usual_batch(task == SPARCL_TASK_RANK ? info->entries : info->rows, searches);
}

static bool has_numbers(const train_job *job) {
    return job->architecture->task == SPARCL_TASK_LABELS &&
           train_given.loss == (int)SPARCL_LOSS_SQUARED;
}

static sparcl_train_desc describe_run(train_job *job) {
    sparcl_train_desc desc;
    sparcl_train_init(&desc, train_given.optim.rule);
    desc.optim = train_given.optim;
    desc.loss = (sparcl_loss)train_given.loss;
    desc.l2 = train_given.l2;
    desc.solver = train_given.solver < 0 ? SPARCL_SOLVER_STEPS : (sparcl_solver)train_given.solver;
    desc.l1 = train_given.l1;
    desc.tolerance = train_given.tolerance;
    desc.gradient_tolerance = train_given.gradient_tolerance;
    desc.epochs = train_given.epochs >= 0              ? train_given.epochs
                  : desc.solver == SPARCL_SOLVER_LBFGS ? 1000
                                                       : usual_epochs(train_given.kind);
    desc.batch = choose_batch(job, desc.batch);
    desc.patience = train_given.patience;
    desc.seed = train_given.seed;
    desc.architecture = job->architecture;
    desc.parameter_optims = train_given.parameter_optims;
    desc.parameter_optim_count = train_given.parameter_optim_count;
    desc.no_bias = train_given.no_bias;
    desc.standardize_labels = has_numbers(job) && !train_given.raw_labels;
    desc.start = job->start_model;
    if (!desc.start) desc.columns = sparcl_data_get_info(job->train)->columns;
    desc.nodes = job->graph.edges ? &job->graph.nodes : NULL;
    desc.device_memory = train_given.device_memory;
    desc.progress = show_progress;
    desc.progress_user = job;
    desc.schedule = train_given.schedule;
    if (!isnan(train_given.clip_global_norm)) desc.clip_global_norm = train_given.clip_global_norm;
    desc.max_seconds = 3600 * train_given.max_hours;
    class_weights_describe(&desc);
    checkpoint_describe(&desc);
    if (train_given.dry_run) desc.memory = plan_take;
    desc.memory_user = &job->plan;
    return desc;
}

/* Nothing but the end of the time is another reason. */
static void print_not_converged(const sparcl_train_result *r, double tolerance) {
    if (r->lost_by_rounding > 0)
        print_note("the weights are float32, which raises the objective by %.3g to %.6g: labels or "
                   "columns are far from 0; subtract a number from them",
                   r->lost_by_rounding, r->objective);
    else if (!r->converged && !r->ended_early)
        print_note(
            "lbfgs did not converge: after %lld iterations the gradient is %.3g of that "
            "without weights, expected %g, and the next step promises to lower the objective "
            "by %.3g; use more --epochs, a larger --tolerance, or --l2",
            (long long)r->steps, r->relative_gradient, tolerance, r->expected_decrease);
}

/* L-BFGS, and the search for the rate of a linear model, make columns alike. */
static bool scales_columns(train_mode mode) {
    const bool is_linear = strcmp(train_given.kind, "linear") == 0;
    return mode == MODE_SEARCH || mode == MODE_LBFGS ||
           (mode == MODE_RATE && is_linear && train_given.l2 == 0);
}

static exit_code train(train_job *job, const char *path) {
    sparcl_error error = {0};
    job->desc = describe_run(job);
    const train_mode mode = train_mode_of();
    job->is_auto = mode == MODE_SEARCH || mode == MODE_RATE;
    if (mode == MODE_RATE) job->desc.optim.lr = (double)NAN;
    print_mode_notes(mode, job->desc.epochs);
    if (train_given.raw_labels && !has_numbers(job))
        print_note("--raw-labels has no effect: it is for squared loss of labels");
    if (train_given.dry_run) job->progress.format = PROGRESS_NONE;
    print_cost();
    print_narrowed_labels(path, job->desc.loss, job->train);
    if (!scales_columns(mode)) print_column_sizes(path, job->train);
    begin_part("training");
    profile_begin(&job->profile, train_given.profile ? job->ctx : NULL);
    const sparcl_status status = job->is_auto
                                     ? auto_train(job->ctx, &job->model, job->train, &job->desc,
                                                  &job->progress, &job->chosen, &error)
                                     : sparcl_train(job->ctx, &job->model, job->train, job->valid,
                                                    &job->desc, &job->result, &error);
    if (job->is_auto) job->result = job->chosen.train;
    if (!stop_was_requested()) stop_set_mode(STOP_AT_ONCE);
    if (status == SPARCL_OK && !job->is_auto)
        live_line_keep();
    else
        live_line_end();
    if (status != SPARCL_OK && status != SPARCL_E_INTERRUPTED) return report_train(job, &error);
    if (status == SPARCL_OK && uses_lbfgs(job))
        print_not_converged(&job->result, job->desc.tolerance);
    if (job->result.ended_early)
        print_note("%g hours are over: the model is that of step %lld", train_given.max_hours,
                   (long long)job->result.steps);
    return status == SPARCL_OK ? EXIT_OK : checkpoint_interrupted();
}

static exit_code validate_ranking(train_job *job) {
    const int64_t items = sparcl_model_get_info(job->model)->columns;
    const char *const path = train_given.valid ? train_given.valid : "the part held out";
    sparcl_error error = {0};
    if (sparcl_rank_eval(job->ctx, job->model, job->train, job->valid,
                         items < RANK_K ? items : RANK_K, &job->ranks, &error) != SPARCL_OK)
        return report_device(job->ctx, &error);
    print_known_pairs(path, "the training data", &job->ranks);
    return EXIT_OK;
}

/* Before the training. */
static exit_code check_calibration(const train_job *job) {
    const sparcl_loss loss = (sparcl_loss)train_given.loss;
    const bool has_classes =
        loss == SPARCL_LOSS_LOGISTIC || loss == SPARCL_LOSS_HINGE || loss == SPARCL_LOSS_SOFTMAX;
    if (job->architecture->task == SPARCL_TASK_LABELS && has_classes) return EXIT_OK;
    return usage_error("--calibrate is for classes, with logistic, softmax or hinge loss, not for "
                       "%s with %s loss",
                       job->architecture->name, sparcl_loss_name(loss));
}

static exit_code calibrate(train_job *job) {
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    sparcl_error error = {0};
    begin_part("calibrating");
    if (sparcl_model_calibrate(job->ctx, job->model, job->valid, methods[train_given.calibrate],
                               &error) == SPARCL_OK)
        return EXIT_OK;
    return report_device(job->ctx, &error);
}

static exit_code validate(train_job *job) {
    sparcl_error error = {0};
    begin_part("evaluating the model");
    if (!job->valid) return graph_evaluate(&job->graph, job->ctx, job->model, job->train);
    if (job->architecture->task == SPARCL_TASK_RANK) return validate_ranking(job);
    if (sparcl_eval_classes(job->ctx, job->model, job->valid, NULL, &job->metrics, &job->report,
                            &error) != SPARCL_OK)
        return report_device(job->ctx, &error);
    print_not_finite_metrics(job->model, &job->metrics);
    print_unknown_labels(job->model, job->valid, &job->metrics);
    return EXIT_OK;
}

/* Where the passes are given, or the usual ones. */
static void print_still_falling(const train_job *job) {
    static const double clearly = 0.02;
    const double fall = history_last_fall(&job->history);
    if (train_mode_of() == MODE_STEPS && train_given.patience == 0 && !job->result.ended_early &&
        fall > clearly)
        print_note("the loss still fell by %.2g %% in the last pass: more --epochs than %lld may "
                   "help",
                   100 * fall, (long long)job->result.epochs);
}

/* Its steps fit few rows closely. */
static void print_calibration(const sparcl_metrics *m) {
    enum { ISOTONIC = 1, FEW = 100 };
    const double others = (1 - m->best_constant_accuracy) * (double)m->rows;
    print_note("the validation metrics are those of the rows that the calibration was fitted to%s",
               train_given.calibrate == ISOTONIC && others < FEW
                   ? ": too few of one class for isotonic; use --calibrate platt"
                   : "; 'sparcl eval' has those of others");
}

static void print_advice(const train_job *job) {
    const bool ranks = job->architecture->task == SPARCL_TASK_RANK;
    const bool has_metrics = job->valid && !ranks;
    bool is_worse =
        print_worse_model(&job->result, has_metrics ? &job->metrics : NULL,
                          train_given.raw_labels ? "leave out --raw-labels"
                          : uses_lbfgs(job)      ? "use a smaller --l2 or --l1"
                          : ranks ? "leave out --optimizer and --lr, or use another --lr"
                                  : "use another --lr, columns of like scale, or no options "
                                    "of steps");
    if (!is_worse && job->valid && ranks) is_worse = print_worse_ranking(&job->ranks);
    if (!is_worse) print_still_falling(job);
    if (train_given.calibrate >= 0) print_calibration(&job->metrics);
}

static exit_code save_model(const train_job *job) {
    sparcl_error error = {0};
    stop_set_mode(STOP_WRITTEN);
    if (stop_was_requested()) return checkpoint_interrupted();
    begin_part("writing %s", train_given.model);
    return sparcl_model_save(job->model, train_given.model, &error) == SPARCL_OK ? EXIT_OK
                                                                                 : report(&error);
}

static exit_code finish(train_job *job, const char *path) {
    if (train_given.dry_run)
        return plan_show(&job->plan, job->ctx, job->train, &job->result, train_given.json);
    exit_code code = note_training(job, path);
    if (code == EXIT_OK) code = save_model(job);
    if (code == EXIT_OK && train_given.svg)
        code = curve_save(&job->curve, sparcl_loss_name((sparcl_loss)train_given.loss),
                          train_given.svg);
    if (code == EXIT_OK) code = manifest_compare_model(train_given.model);
    return code == EXIT_OK ? show_train_result(job, path) : code;
}

exit_code train_run(int operand_count, const char *const *operands) {
    train_job job = {.began = time(NULL), .start = spc_clock()};
    (void)operand_count;
    exit_code code = train_take_options();
    job.progress = progress_begin((progress_form)train_given.progress);
    if (code == EXIT_OK) code = read_model_kind(train_given.kind, &job.architecture);
    if (code != EXIT_OK) return code;
    code = open_device_as(
        train_given.device,
        (sparcl_ctx_desc){.profile = train_given.profile, .forecast = train_given.dry_run},
        &job.ctx);
    if (code == EXIT_OK) code = read_start(&job);
    if (code == EXIT_OK) code = read_files(&job, operands[0]);
    if (code == EXIT_OK) code = class_weights_find(job.train);
    if (code == EXIT_OK)
        code = check_word_labels(job.train, train_given.loss >= 0 || job.start_model);
    if (code == EXIT_OK) code = choose_loss(&job);
    if (code == EXIT_OK && train_given.calibrate >= 0) code = check_calibration(&job);
    if (code == EXIT_OK) code = graph_read(&job.graph, job.architecture, job.train);
    if (code == EXIT_OK && train_given.probe)
        code = probe_check(job.architecture, job.train, job.valid);
    if (code == EXIT_OK) code = manifest_check_data(job.train);
    if (code == EXIT_OK) code = checkpoint_announce();
    if (code == EXIT_OK)
        code = log_open(&job.log, train_given.log, train_given.tensorboard, train_given.log_every);
    if (code == EXIT_OK) code = train(&job, operands[0]);
    if (code == EXIT_OK) code = profile_code(&job.profile);
    if (code == EXIT_OK && train_given.calibrate >= 0 && !train_given.dry_run)
        code = calibrate(&job);
    if (code == EXIT_OK) code = validate(&job);
    if (code == EXIT_OK && !train_given.dry_run) print_advice(&job);
    if (code == EXIT_OK && train_given.probe)
        code = probe_run(&job.probe, job.ctx, job.model, job.train, job.valid);
    if (code == EXIT_OK) code = finish(&job, operands[0]);
    plan_end(&job.plan);
    curve_free(&job.curve);
    history_free(&job.history);
    (void)log_close(&job.log);
    profile_end(&job.profile);
    graph_free(&job.graph);
    sparcl_class_report_free(job.report);
    sparcl_model_free(job.model);
    sparcl_model_free(job.start_model);
    sparcl_architecture_free(job.architecture);
    sparcl_data_free(job.valid);
    sparcl_data_free(job.train);
    sparcl_ctx_close(job.ctx);
    return code;
}
