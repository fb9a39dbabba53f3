/* class_weights.c: the option --class-weights. */
#include "class_weights.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static struct {
    sparcl_class_weight *list;
    int count, balances;
} taken;

/* "LABEL=W", up to a comma or the end; *text goes on to what follows. */
static bool parse_one(const char **text, sparcl_class_weight *to) {
    char *end = NULL;
    to->label = strtod(*text, &end);
    if (end == *text || *end != '=') return false;
    const char *const value = end + 1;
    to->weight = strtod(value, &end);
    if (end == value || (*end && *end != ',') || !(to->weight >= 0)) return false;
    *text = *end ? end + 1 : end;
    return true;
}

static int count_of(const char *text) {
    int count = 1;
    for (; *text; ++text)
        count += *text == ',';
    return count;
}

exit_code class_weights_take(const tool_command *command, const char *text) {
    if (strcmp(text, "balanced") == 0) {
        taken.balances = 1;
        return EXIT_OK;
    }
    const int count = count_of(text);
    taken.list = calloc((size_t)count, sizeof *taken.list);
    if (!taken.list) return out_of_memory();
    for (const char *at = text; taken.count < count; ++taken.count)
        if (!parse_one(&at, &taken.list[taken.count]))
            return usage_error(command,
                               "--class-weights: expected \"balanced\" or LABEL=W,... with weights "
                               "from 0, such as -1=1,1=5, found \"%s\"",
                               text);
    return EXIT_OK;
}

void class_weights_describe(sparcl_train_desc *desc) {
    desc->class_weights = taken.list;
    desc->class_weight_count = taken.count;
    desc->balance_classes = taken.balances;
}
