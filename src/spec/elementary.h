/* elementary.h: exp, log and functions of them with the operations of cl/elementary.cl, in the same
 * order. */
#ifndef SPC_SPEC_ELEMENTARY_H
#define SPC_SPEC_ELEMENTARY_H

float spec_exp(float x);
float spec_log(float x);
float spec_log1p(float x); /* for x >= 0 */
float spec_sigmoid(float x);
float spec_tanh(float x);

#endif
