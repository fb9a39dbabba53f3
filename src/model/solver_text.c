/* solver_text.c: how a model was trained, as text for its file. */
#include "model/solver_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

static const char first[] = "lbfgs:l1=", second[] = ",tolerance=", third[] = ",gradient_tolerance=";

void spc_print_lbfgs(char text[SPC_SOLVER_TEXT], double l1, double tolerance, double gradient) {
    char a[SPC_DECIMAL_BYTES], b[SPC_DECIMAL_BYTES], c[SPC_DECIMAL_BYTES] = "";
    spc_decimal_print(a, l1);
    spc_decimal_print(b, tolerance);
    if (gradient > 0) spc_decimal_print(c, gradient);
    snprintf(text, SPC_SOLVER_TEXT, "%s%s%s%s%s%s", first, a, second, b, *c ? third : "", c);
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
    const char *const tolerance = comma + sizeof second - 1, *const more = strstr(tolerance, third);
    if (!more) return is_number(tolerance, strlen(tolerance));
    const char *const gradient = more + sizeof third - 1;
    return is_number(tolerance, (size_t)(more - tolerance)) &&
           is_number(gradient, strlen(gradient));
}
