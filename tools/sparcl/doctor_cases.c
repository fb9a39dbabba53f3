/* doctor_cases.c: a representative subset of the cases: small, with each variant of each operation
 * once. */
#include "doctor_cases.h"

#include <string.h>

enum { MAX_VARIANTS = 64 };

bool has_default_types(const spec_case *c) {
    return c->dtype == SPARCL_F32 && c->offset_type == SPARCL_INDEX32 &&
           c->index_type == SPARCL_INDEX32;
}

/* The best case of each variant of an operation; a weight of 0 means no case. */
typedef struct candidates {
    doctor_case best[MAX_VARIANTS];
    double weight[MAX_VARIANTS];
} candidates;

/* A case is better if it computes more numbers, and if its factors are neither 0 nor 1. */
static double weigh(const spec_case *c, bool has_entries) {
    const double lines = (double)(has_entries ? c->nnz : c->rows);
    const double factors = (c->alpha != 0 && c->alpha != 1 ? 2 : 1) * (c->beta != 0 ? 2 : 1);
    return lines * (double)(c->n > 0 ? c->n : 1) * (c->rows > 0 ? factors : 0);
}

static void collect(const spec_op *op, candidates *all) {
    spec_case c;
    bool has_entries = false;
    *all = (candidates){0};
    for (int i = 0; op->get_case(i, true, &c); i++)
        has_entries = has_entries || c.nnz > 0;
    for (int i = 0; op->get_case(i, true, &c); i++) {
        const int v = c.variant;
        const double weight = weigh(&c, has_entries);
        if (!has_default_types(&c) || v < 0 || v >= MAX_VARIANTS) continue;
        if (weight <= all->weight[v]) continue;
        all->best[v] = (doctor_case){op, i, c};
        all->weight[v] = weight;
    }
}

/* Remove the candidate of the greatest weight; false if none is left. */
static bool remove_best(candidates *all, doctor_case *c) {
    int best = 0;
    for (int v = 1; v < MAX_VARIANTS; v++)
        if (all->weight[v] > all->weight[best]) best = v;
    if (all->weight[best] == 0) return false;
    *c = all->best[best];
    all->weight[best] = 0;
    return true;
}

bool is_checked(const doctor_names *names, const spec_op *op) {
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->at[i], op->name) == 0) return true;
    return names->count == 0;
}

int choose_cases(const doctor_names *names, doctor_case list[MAX_CASES], int *operations) {
    static candidates all; /* too large for the stack */
    doctor_case c;
    int first = 0, count = 0;
    for (const spec_op *const *op = spec_ops; *op && first < MAX_CASES; op++) {
        if (!is_checked(names, *op)) continue;
        collect(*op, &all);
        if (remove_best(&all, &c)) list[first++] = c;
    }
    count = first;
    for (const spec_op *const *op = spec_ops; *op; op++) {
        if (!is_checked(names, *op)) continue;
        collect(*op, &all);
        if (!remove_best(&all, &c)) continue;
        while (count < MAX_CASES && remove_best(&all, &c))
            list[count++] = c;
    }
    *operations = first;
    return count;
}
