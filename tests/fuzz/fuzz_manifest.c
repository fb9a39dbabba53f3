/* fuzz_manifest.c: libFuzzer target for manifests, logs and models as `sparcl diff` and `sparcl
 * report` read them. The first byte says which; up to a byte 1 comes one file, then another. */
#include "fuzz_tool.h"

extern const tool_command command_diff, command_report;

const tool_command *const commands[] = {&command_diff, &command_report, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file files[2];
    if (size < 1) return 0;
    fuzz_quiet();
    const uint8_t *const mark = memchr(bytes + 1, 1, size - 1);
    const size_t first = mark ? (size_t)(mark - bytes - 1) : size - 1;
    fuzz_write(&files[0], bytes + 1, first);
    fuzz_write(&files[1], mark ? mark + 1 : bytes + 1, mark ? size - 2 - first : first);
    const bool reports = bytes[0] & 1;
    const char *diff[] = {"diff", files[0].path, files[1].path, NULL};
    const char *report[] = {"report", "--output", "-", files[0].path, files[1].path, NULL};
    (void)run_command(reports ? &command_report : &command_diff, reports ? 5 : 3,
                      reports ? report : diff);
    return 0;
}
