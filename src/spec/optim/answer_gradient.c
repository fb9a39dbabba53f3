/* answer_gradient.c: the plain-C answers of SGD and momentum. */
#include "spec/optim/rule_answer.h"

/* more: a product that TensorFlow and MXNet round to float. */
void spec_gradient_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const float lr = (float)o->lr, momentum = (float)o->momentum.factor,
                decay = (float)o->decay.weight;
    h->rest1 = num_of(h->dtype, 1);
    if (o->preset == SPARCL_PRESET_TORCH && o->step > 1)
        h->rest1 = num_of(h->dtype, 1 - o->momentum.dampening);
    h->more = num_of(h->dtype, o->decay.weight);
    if (o->preset == SPARCL_PRESET_TF1) h->more = num_of(h->dtype, (double)(momentum * lr));
    if (o->preset == SPARCL_PRESET_MXNET && !o->momentum.nesterov)
        h->more = num_of(h->dtype, (double)(lr * decay));
    if (o->preset == SPARCL_PRESET_MXNET && o->rule == SPARCL_RULE_SGD)
        h->more = num_of(h->dtype, o->moves == SPARCL_MOVES_ALL ? 1 - o->lr * o->decay.weight
                                                                : (double)(1 - lr * decay));
}

static bool has_own_decay(const sparcl_optim *o) {
    return o->preset == SPARCL_PRESET_MXNET && o->decay.kind == SPARCL_DECAY_COUPLED &&
           o->decay.weight != 0;
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
    x->w = num_add(x->w, h->optim.momentum.nesterov ? num_sub(num_mul(h->momentum, x->s[0]), step)
                                                    : x->s[0]);
}

static spec_num next_of(const spec_hyper *h, spec_num old, spec_num w, spec_num g) {
    if (has_own_decay(&h->optim)) g = num_add(g, num_mul(h->more, w));
    return num_sub(old, num_mul(h->lr, g));
}

static void mxnet_nesterov(const spec_hyper *h, spec_result *x, spec_num g) {
    const spec_num old = num_mul(h->momentum, x->s[0]);
    const spec_num factor = num_of(h->dtype, (double)((float)h->optim.momentum.factor + 1));
    x->w = num_add(num_sub(x->w, old), num_mul(factor, next_of(h, old, x->w, g)));
    x->s[0] = next_of(h, old, x->w, g);
}

void spec_momentum(const spec_hyper *h, spec_result *x, spec_num g) {
    const sparcl_preset preset = h->optim.preset;
    if (preset == SPARCL_PRESET_MXNET && h->optim.momentum.nesterov) {
        mxnet_nesterov(h, x, g);
        return;
    }
    if (preset != SPARCL_PRESET_TORCH && preset != SPARCL_PRESET_TF1) {
        rate_inside(h, x, g);
        return;
    }
    x->s[0] = num_add(num_mul(h->momentum, x->s[0]), num_mul(h->rest1, g));
    if (!h->optim.momentum.nesterov) {
        x->w = num_sub(x->w, num_mul(h->lr, x->s[0]));
    } else if (preset == SPARCL_PRESET_TF1) {
        const spec_num ahead = num_mul(x->s[0], h->more);
        x->w = num_sub(x->w, num_add(num_mul(h->lr, g), ahead));
    } else {
        x->w = num_sub(x->w, num_mul(h->lr, num_add(g, num_mul(h->momentum, x->s[0]))));
    }
}
