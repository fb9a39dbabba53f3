/* answer_sign.c: the plain-C answers of the rules that move by a sign: sign descent, Signum, Lion.
 */
#include "spec/optim/rule_answer.h"

/* rest2: 1 - momentum; more: a decay in b; correction1: the factor of the weights. */
void spec_sign_hyper(spec_hyper *h) {
    const sparcl_optim *const o = &h->optim;
    const float decay = o->decay.kind == SPARCL_DECAY_COUPLED ? (float)o->decay.weight : 0;
    const float rest = 1 - (float)o->momentum.factor, lr = (float)o->lr;
    if (o->rule == SPARCL_RULE_LION) {
        h->rest1 = num_of(h->dtype, (double)(1 - (float)o->adam.beta1));
        h->rest2 = num_of(h->dtype, (double)(1 - (float)o->adam.beta2));
        return;
    }
    const bool has_b = o->rule == SPARCL_RULE_SIGNUM;
    h->rest2 = num_of(h->dtype, (double)rest);
    h->more = num_of(h->dtype, (double)(rest * decay));
    h->correction1 = num_of(h->dtype, (double)(1 - lr * (has_b ? (float)o->decay.signum : decay)));
}

void spec_signsgd(const spec_hyper *h, spec_result *x, spec_num g) {
    x->w = num_sub(num_mul(h->correction1, x->w), num_mul(h->lr, num_sign(g)));
}

void spec_signum(const spec_hyper *h, spec_result *x, spec_num g) {
    const spec_num kept = num_sub(num_mul(h->momentum, x->s[0]), num_mul(h->more, x->w));
    x->s[0] = num_sub(kept, num_mul(h->rest2, g));
    x->w = num_add(num_mul(h->correction1, x->w), num_mul(h->lr, num_sign(x->s[0])));
}

void spec_lion(const spec_hyper *h, spec_result *x, spec_num g) {
    const spec_num move = num_add(num_mul(x->s[0], h->beta1), num_mul(g, h->rest1));
    x->w = num_sub(x->w, num_mul(h->lr, num_sign(move)));
    x->s[0] = num_add(num_mul(x->s[0], h->beta2), num_mul(g, h->rest2));
}
