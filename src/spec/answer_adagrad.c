/* answer_adagrad.c: the plain-C answer of Adagrad. */
#include "spec/rule_answer.h"

void spec_adagrad_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    h->lr = num_of(h->dtype, o->lr / (1 + (double)(o->step - 1) * o->lr_decay));
}

void spec_adagrad(const spec_hyper *h, spec_result *x, spec_num g) {
    const sparcl_rule_profile profile = h->optim.profile;
    x->s[0] = num_add(x->s[0], num_mul(g, g));
    const spec_num root = num_add(num_root(num_add(x->s[0], h->inside)), h->outside);
    spec_num move;
    if (profile == SPARCL_PROFILE_TORCH || profile == SPARCL_PROFILE_MXNET)
        move = num_mul(h->lr, num_div(g, root));
    else if (profile == SPARCL_PROFILE_TF1)
        move = num_mul(num_mul(h->lr, g), num_div(num_exact(h->dtype, 1), root));
    else
        move = num_div(num_mul(h->lr, g), root);
    x->w = num_sub(x->w, move);
}
