/* fuzz_settings.c: libFuzzer target for files of settings (--config), with a command that has an
 * option of each type. */
#include "fuzz_tool.h"

static struct {
    int flag, choice;
    const char *text, *config;
    int64_t count, bytes;
    uint64_t seed;
    double real;
} given;

/* What the options promise of their values. */
static exit_code run(int count, const char *const *operands) {
    if (count > 1 || (count == 1 && !operands[0])) abort();
    if (given.flag < 0 || given.flag > 1 || given.choice < 0 || given.choice > 2) abort();
    if (given.count < 3 || given.bytes < 16 || !(given.real >= 0 && given.real <= 1e308)) abort();
    return EXIT_OK;
}

static const tool_option options[] = {
    {.name = "flag", .type = OPTION_FLAG, .value = &given.flag, .set = 1},
    {.name = "text", .type = OPTION_TEXT, .value = &given.text},
    {.name = "count", .type = OPTION_COUNT, .value = &given.count, .minimum = 3},
    {.name = "bytes", .type = OPTION_BYTES, .value = &given.bytes, .minimum = 16},
    {.name = "seed", .type = OPTION_SEED, .value = &given.seed},
    {.name = "real", .type = OPTION_REAL, .value = &given.real},
    {.name = "choice", .type = OPTION_CHOICE, .value = &given.choice, .choices = "one|two|three"},
    {.name = "config", .type = OPTION_TEXT, .value = &given.config},
    {0},
};

static const char *const examples[] = {NULL};
static const tool_command command = {.name = "run",
                                     .summary = "runs",
                                     .operands = "[DATA]",
                                     .operands_max = 1,
                                     .examples = examples,
                                     .options = options,
                                     .config = &given.config,
                                     .operand_key = "train",
                                     .run = run};
const tool_command *const commands[] = {&command, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file file;
    fuzz_quiet();
    fuzz_write(&file, bytes, size);
    const char *line[] = {"run", "--config", file.path, NULL};
    memset(&given, 0, sizeof given);
    given.count = 3;
    given.bytes = 16;
    (void)run_command(&command, 3, line);
    return 0;
}
