/* cmd_version.c: sparcl version: prints the versions of tool and library. */
#include "options.h"
#include "output.h"
#include "sparcl/sparcl.h"

static struct { int json; } given;

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count, (void)operands;
    const char *const library = sparcl_version();
    if (given.json)
        return print_object(
            json_pack("{s:s, s:s}", "version", SPARCL_VERSION_TEXT, "library", library), true);
    printf("sparcl %s (library %s)\n", SPARCL_VERSION_TEXT, library);
    return flush_results();
}

static const char *const examples[] = {
    "print the version",
    "sparcl version",
    NULL,
};

static const tool_option options[] = {
    OPTION_JSON(given.json),
    {0},
};

static const json_key keys[] = {
    {"version", "version of the tool"},
    {"library", "version of the library at run time"},
    {0},
};

extern const tool_command command_version;
const tool_command command_version = {
    .name = "version",
    .summary = "print the version",
    .operands = "[--json]",
    .examples = examples,
    .options = options,
    .keys = keys,
    .run = run,
};
