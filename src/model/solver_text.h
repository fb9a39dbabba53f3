/* solver_text.h: how a model was trained, as text for its file. */
#ifndef SPC_MODEL_SOLVER_TEXT_H
#define SPC_MODEL_SOLVER_TEXT_H

#include <stdbool.h>

/* Bytes of such a text, with the NUL. */
enum { SPC_SOLVER_TEXT = 160 };

/* "lbfgs:l1=L1,tolerance=TOLERANCE", and ",gradient_tolerance=GRADIENT" where that one is not 0. */
void spc_print_lbfgs(char text[SPC_SOLVER_TEXT], double l1, double tolerance, double gradient);
/* Whether a text is one, as spc_print_lbfgs writes it. */
bool spc_is_solver_text(const char *text);

#endif
