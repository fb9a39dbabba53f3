/* answer_adagrad.c: the plain-C answer of Adagrad. */
#include "spec/optim/rule_answer.h"

void spec_adagrad_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    h->lr = num_of(h->dtype, o->lr / (1 + (double)(o->step - 1) * o->adagrad.lr_decay));
}

/* w after a gradient; decays: with the decay that is inside. */
static spec_num moved(const spec_hyper *h, spec_num w, spec_num g, spec_num root, bool decays) {
    const sparcl_preset preset = h->optim.preset;
    spec_num move;
    const spec_num decay = decays ? h->decay : num_exact(h->dtype, 0);
    if (spec_decays_inside(&h->optim))
        move = num_mul(h->lr, num_add(num_div(g, root), num_mul(decay, w)));
    else if (preset == SPARCL_PRESET_TORCH || preset == SPARCL_PRESET_MXNET)
        move = num_mul(h->lr, num_div(g, root));
    else if (preset == SPARCL_PRESET_TF1)
        move = num_mul(num_mul(h->lr, g), num_div(num_exact(h->dtype, 1), root));
    else
        move = num_div(num_mul(h->lr, g), root);
    return num_sub(w, move);
}

void spec_adagrad_rows(const spec_hyper *h, spec_result *x, const spec_num *g, int64_t count) {
    for (int64_t k = 0; k < count && !h->optim.adagrad.frozen; ++k)
        x->s[0] = num_add(x->s[0], num_mul(g[k], g[k]));
    const spec_num root = num_add(num_root(num_add(x->s[0], h->inside)), h->outside);
    for (int64_t k = 0; k < count; ++k)
        x->w = moved(h, x->w, g[k], root, k == 0);
}

void spec_adagrad(const spec_hyper *h, spec_result *x, spec_num g) {
    spec_adagrad_rows(h, x, &g, 1);
}
