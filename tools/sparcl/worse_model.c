/* worse_model.c: notes about a model that a constant prediction would beat. */
#include "worse_model.h"

#include <math.h>

#include "message.h"

/* Of sums of floats. */
static const double rounding = 1e-6;

static int is_worse(double loss, double constant) {
    return loss > constant + rounding * fabs(constant);
}

/* Exactly the frequencies of one class. */
static int is_one_class(const sparcl_metrics *m) {
    const int has_lower = m->f1 == 0, has_higher = fabs(m->f1 - m->best_constant_f1) <= rounding;
    return (has_lower || has_higher) && m->best_constant_accuracy < 1 &&
           fabs(m->accuracy - m->best_constant_accuracy) <= rounding;
}

/* Of classes. */
static bool has_one_label(const sparcl_metrics *m) {
    return m->best_constant_accuracy >= 1;
}

bool print_worse_model(const sparcl_train_result *result, const sparcl_metrics *m,
                       const char *remedy) {
    const bool is_found = is_worse(result->loss, result->best_constant_loss);
    if (is_found)
        print_note("the model is worse than the best constant: its loss on the training rows is "
                   "%.4g, that of the constant %.4g; %s",
                   result->loss, result->best_constant_loss, remedy);
    else if (m && has_one_label(m))
        print_note("all validation rows have the same label: they say little about the model; hold "
                   "out more rows, or others by --seed");
    else if (m && is_one_class(m))
        print_note("all validation rows get the same class, the more frequent one; compare the "
                   "AUC, or use --class-weights balanced");
    else if (m && is_worse(m->loss, m->best_constant_loss))
        print_note("the model is worse than the best constant on the validation rows: its loss is "
                   "%.4g, that of the constant %.4g; the columns may say nothing of the "
                   "labels, or more --l2 or fewer passes fit the training rows less closely",
                   m->loss, m->best_constant_loss);
    return is_found;
}

void print_worse_evaluation(const sparcl_metrics *m) {
    if (has_one_label(m))
        print_note("all rows have the same label: the metrics say little about the model");
    else if (is_worse(m->loss, m->best_constant_loss))
        print_note(
            "the model is worse than the best constant on these rows: its loss is %.4g, that "
            "of the constant %.4g; the columns may say nothing of the labels, or mean "
            "something else than in the training",
            m->loss, m->best_constant_loss);
}
