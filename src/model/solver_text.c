/* solver_text.c: how a model was trained, as text for its file. */
#include "model/solver_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

static const char first[] = "lbfgs:l1=", second[] = ",tolerance=";

void spc_print_lbfgs(char text[SPC_SOLVER_TEXT], double l1, double tolerance) {
    char a[SPC_DECIMAL_BYTES], b[SPC_DECIMAL_BYTES];
    spc_decimal_print(a, l1);
    spc_decimal_print(b, tolerance);
    snprintf(text, SPC_SOLVER_TEXT, "%s%s%s%s", first, a, second, b);
}

static bool is_number(const char *text, size_t length) {
    double value;
    return length < SPC_DECIMAL_BYTES && spc_decimal_parse(text, (int)length, &value) &&
           value >= 0 && value < INFINITY;
}

bool spc_is_solver_text(const char *text) {
    if (strncmp(text, first, sizeof first - 1) != 0) return false;
    const char *const l1 = text + sizeof first - 1, *const comma = strstr(l1, second);
    if (!comma || !is_number(l1, (size_t)(comma - l1))) return false;
    const char *const tolerance = comma + sizeof second - 1;
    return is_number(tolerance, strlen(tolerance));
}
