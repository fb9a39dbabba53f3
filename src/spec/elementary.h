/* elementary.h: exp and log with the operations and their order of cl/elementary.cl. */
#ifndef SPC_SPEC_ELEMENTARY_H
#define SPC_SPEC_ELEMENTARY_H

float spec_exp(float x);
float spec_log(float x);
float spec_log1p(float x); /* for x >= 0 */

#endif
