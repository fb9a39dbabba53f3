/* answer_gradient.c: the plain-C answers of SGD and momentum. */
#include "spec/optim/rule_answer.h"

/* more: a product that TensorFlow and MXNet round to float. */
void spec_gradient_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const float lr = (float)o->lr, momentum = (float)o->momentum, decay = (float)o->weight_decay;
    h->rest1 = num_of(h->dtype, 1);
    if (o->profile == SPARCL_PROFILE_TORCH && o->step > 1)
        h->rest1 = num_of(h->dtype, 1 - o->dampening);
    h->more = num_of(h->dtype, o->weight_decay);
    if (o->profile == SPARCL_PROFILE_TF1) h->more = num_of(h->dtype, (double)(momentum * lr));
    if (o->profile == SPARCL_PROFILE_MXNET && !o->nesterov)
        h->more = num_of(h->dtype, (double)(lr * decay));
    if (o->profile == SPARCL_PROFILE_MXNET && o->rule == SPARCL_RULE_SGD)
        h->more = num_of(h->dtype, o->moves == SPARCL_MOVES_ALL ? 1 - o->lr * o->weight_decay
                                                                : (double)(1 - lr * decay));
}

static bool has_own_decay(const sparcl_optim *o) {
    return o->profile == SPARCL_PROFILE_MXNET && o->decay == SPARCL_DECAY_COUPLED &&
           o->weight_decay != 0;
}

void spec_sgd(const spec_hyper *h, spec_result *x, spec_num g) {
    if (has_own_decay(&h->optim)) x->w = num_mul(x->w, h->more);
    x->w = num_sub(x->w, num_mul(h->lr, g));
}

/* The rate is a part of b: MXNet, Keras, HugeCTR. */
static void rate_inside(const spec_hyper *h, spec_result *x, spec_num g) {
    const spec_num step = num_mul(h->lr, g);
    x->s[0] = num_mul(h->momentum, x->s[0]);
    if (has_own_decay(&h->optim)) x->s[0] = num_sub(x->s[0], num_mul(h->more, x->w));
    x->s[0] = num_sub(x->s[0], step);
    x->w =
        num_add(x->w, h->optim.nesterov ? num_sub(num_mul(h->momentum, x->s[0]), step) : x->s[0]);
}

static spec_num next_of(const spec_hyper *h, spec_num old, spec_num w, spec_num g) {
    if (has_own_decay(&h->optim)) g = num_add(g, num_mul(h->more, w));
    return num_sub(old, num_mul(h->lr, g));
}

static void mxnet_nesterov(const spec_hyper *h, spec_result *x, spec_num g) {
    const spec_num old = num_mul(h->momentum, x->s[0]);
    const spec_num factor = num_of(h->dtype, (double)((float)h->optim.momentum + 1));
    x->w = num_add(num_sub(x->w, old), num_mul(factor, next_of(h, old, x->w, g)));
    x->s[0] = next_of(h, old, x->w, g);
}

void spec_momentum(const spec_hyper *h, spec_result *x, spec_num g) {
    const sparcl_rule_profile profile = h->optim.profile;
    if (profile == SPARCL_PROFILE_MXNET && h->optim.nesterov) {
        mxnet_nesterov(h, x, g);
        return;
    }
    if (profile != SPARCL_PROFILE_TORCH && profile != SPARCL_PROFILE_TF1) {
        rate_inside(h, x, g);
        return;
    }
    x->s[0] = num_add(num_mul(h->momentum, x->s[0]), num_mul(h->rest1, g));
    if (!h->optim.nesterov) {
        x->w = num_sub(x->w, num_mul(h->lr, x->s[0]));
    } else if (profile == SPARCL_PROFILE_TF1) {
        const spec_num ahead = num_mul(x->s[0], h->more);
        x->w = num_sub(x->w, num_add(num_mul(h->lr, g), ahead));
    } else {
        x->w = num_sub(x->w, num_mul(h->lr, num_add(g, num_mul(h->momentum, x->s[0]))));
    }
}
