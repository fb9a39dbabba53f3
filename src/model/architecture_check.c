/* architecture_check.c: the checks of a caller's architecture. */
#include "model/architecture_check.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/builtin.h"
#include "model/parameter_list.h"

enum { NAME_MAX_BYTES = 47 };

/* Names are texts of a file and of messages. */
static bool is_name(const char *name) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const size_t length = name ? strnlen(name, NAME_MAX_BYTES + 1) : 0;
    return length > 0 && length <= NAME_MAX_BYTES && strspn(name, allowed) == length &&
           strcmp(name, "__metadata__") != 0;
}

static bool is_text(const char *text) {
    size_t length = 0;
    while (length < SPARCL_MODEL_TEXT && text[length] >= ' ' && text[length] <= '~')
        ++length;
    return length < SPARCL_MODEL_TEXT && !text[length];
}

static sparcl_status check_parameters(const sparcl_architecture *a, const char *what,
                                      sparcl_error *error) {
    if (!a->parameters || !a->parameters[0])
        return spc_fail(error, SPARCL_E_ARG, "%s: architecture %s: its list of parameters is empty",
                        what, a->name);
    for (int i = 0; a->parameters[i]; ++i) {
        if (!is_name(a->parameters[i]))
            return spc_fail(error, SPARCL_E_ARG,
                            "%s: architecture %s: the name of parameter %d is not 1 to %d of the "
                            "characters a-z A-Z 0-9 _ . -",
                            what, a->name, i, NAME_MAX_BYTES);
        if (spc_architecture_find(a, a->parameters[i]) != i)
            return spc_fail(error, SPARCL_E_ARG, "%s: architecture %s: two parameters are named %s",
                            what, a->name, a->parameters[i]);
    }
    return SPARCL_OK;
}

static sparcl_status check_metrics(const sparcl_architecture *a, const char *what,
                                   sparcl_error *error) {
    if (a->metric_count < 0 || a->metric_count > SPARCL_METRICS_MAX)
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: architecture %s: metric_count is %d, expected 0 to %d", what, a->name,
                        a->metric_count, SPARCL_METRICS_MAX);
    for (int i = 0; i < a->metric_count; ++i)
        if (!a->metrics || !a->metrics[i].compute || !is_name(a->metrics[i].name))
            return spc_fail(error, SPARCL_E_ARG,
                            "%s: architecture %s: metric %d has no name or no function", what,
                            a->name, i);
    return SPARCL_OK;
}

static sparcl_status check_task(const sparcl_architecture *a, const char *what,
                                sparcl_error *error) {
    const bool has_graph = a->task == SPARCL_TASK_NODES || a->task == SPARCL_TASK_RANK;
    if ((unsigned)a->task > SPARCL_TASK_RANK ||
        (unsigned)a->adjacency > SPARCL_ADJACENCY_SELF_LOOPS)
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: architecture %s: task is %d and adjacency %d, expected a sparcl_task "
                        "and a sparcl_adjacency",
                        what, a->name, (int)a->task, (int)a->adjacency);
    if (a->reads_fields && has_graph)
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: architecture %s: reads_fields is %d, expected 0 in its task", what,
                        a->name, a->reads_fields);
    if (a->adjacency == SPARCL_ADJACENCY_NONE || has_graph) return SPARCL_OK;
    return spc_fail(
        error, SPARCL_E_ARG,
        "%s: architecture %s: adjacency is %d, expected SPARCL_ADJACENCY_NONE: there is "
        "no graph in its task",
        what, a->name, (int)a->adjacency);
}

sparcl_status spc_architecture_check(const sparcl_architecture *a, const char *what,
                                     sparcl_error *error) {
    if (!a) return spc_fail(error, SPARCL_E_ARG, "%s: the architecture is NULL", what);
    if (!is_name(a->name) || strcmp(a->name, "parameters") == 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: the architecture's name is not 1 to %d of the characters a-z A-Z 0-9 "
                        "_ . -, or it is parameters",
                        what, NAME_MAX_BYTES);
    if (spc_is_builtin_name(a->name) && !spc_is_builtin(a))
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: the architecture's name is %s, which is a model of the library, "
                        "expected another name",
                        what, a->name);
    if (!a->build)
        return spc_fail(error, SPARCL_E_ARG, "%s: architecture %s: build is NULL", what, a->name);
    if (!spc_is_struct_size(a->size, sizeof *a))
        return spc_fail(error, SPARCL_E_ARG, "%s: architecture %s: size is %zu, expected 0 or %zu",
                        what, a->name, a->size, sizeof *a);
    SPC_TRY(check_task(a, what, error));
    if (a->settings && !is_text(a->settings))
        return spc_fail(error, SPARCL_E_ARG,
                        "%s: architecture %s: the settings are not up to %d characters of "
                        "printable ASCII",
                        what, a->name, SPARCL_MODEL_TEXT - 1);
    SPC_TRY(check_parameters(a, what, error));
    return check_metrics(a, what, error);
}
