/* cmd_doctor.c: sparcl doctor checks the OpenCL installation and the results of the device. */
#include "base/clock.h"
#include "doctor.h"
#include "live_line.h"
#include "message.h"
#include "open_device.h"
#include "options.h"

static struct {
    const char *device;
    int64_t timeout;
    int json, full, progress;
} given = {.timeout = 20};

/* ---- the report ----------------------------------------------------------------------------- */

static void write_verdict(const doctor *d, char *text, size_t bytes) {
    if (d->code != EXIT_OK)
        snprintf(text, bytes, "FAILED: %s", d->failure);
    else if (d->notes > 0)
        snprintf(text, bytes, "works, with %d note%s: %s", d->notes, d->notes > 1 ? "s" : "",
                 d->healthy);
    else
        snprintf(text, bytes, "no problems: %s", d->healthy);
}

static void print_findings(const doctor *d, const char *verdict) {
    size_t i;
    json_t *finding;
    printf("%s\n\n", verdict);
    json_array_foreach(d->findings, i, finding) {
        printf("%-7s%-13s%s\n", json_string_value(json_object_get(finding, "level")),
               json_string_value(json_object_get(finding, "part")),
               json_string_value(json_object_get(finding, "text")));
    }
}

static exit_code print(doctor *d) {
    char verdict[2048];
    write_verdict(d, verdict, sizeof verdict);
    if (!given.json) {
        print_findings(d, verdict);
        return flush_results();
    }
    json_t *const object = json_pack("{s:s, s:i, s:i}", "verdict", verdict, "exit_code",
                                     (int)d->code, "notes", d->notes);
    json_object_update(object, d->facts);
    json_object_set(object, "findings", d->findings);
    return print_object(object, true);
}

extern const tool_command command_doctor;

static const char *operand_word(int index) {
    return spec_ops[index] ? spec_ops[index]->name : NULL;
}

static exit_code run(int operand_count, const char *const *operands) {
    doctor d = {.device = given.device,
                .timeout = given.timeout,
                .full = given.full,
                .names = {operand_count, operands},
                .begin = spc_clock(),
                .progress = progress_begin((progress_form)given.progress),
                .findings = json_array(),
                .facts = json_object(),
                .loader_is_safe = true};
    const exit_code known = check_operand_words(operand_word, "operation", operand_count, operands);
    if (known != EXIT_OK) return known;
    if (!d.findings || !d.facts) return out_of_memory();
    progress_say(&d.progress, "testing the OpenCL libraries");
    check_vendors(&d);
    check_cache(&d);
    if (d.loader_is_safe && try_device(&d)) check_device(&d);
    live_line_end();
    const exit_code printed = print(&d);
    json_decref(d.findings);
    json_decref(d.facts);
    return printed != EXIT_OK ? printed : d.code;
}

static const char *const examples[] = {
    "check the installation and the default device",
    "sparcl doctor",
    "check another device",
    "sparcl doctor --device 1:0",
    "for a bug report: every program, and more cases of each operation",
    "sparcl doctor --full --json > doctor.json",
    "only some operations, with all of their cases",
    "sparcl doctor --full spmm coalesce",
    NULL,
};

static const tool_option options[] = {
    OPTION_JSON(given.json),
    OPTION_DEVICE(given.device),
    {.name = "full",
     .type = OPTION_FLAG,
     .value = &given.full,
     .set = 1,
     .help = "also every program, all types, cases as large inputs, and CLBlast"},
    {.name = "progress",
     .type = OPTION_CHOICE,
     .value = &given.progress,
     .choices = PROGRESS_WORDS,
     .help = "default auto: live on a terminal"},
    {.name = "timeout",
     .type = OPTION_COUNT,
     .value = &given.timeout,
     .argument = "S",
     .minimum = 1,
     .help = "seconds that a vendor's library may take (20)"},
    {0},
};

static const json_key keys[] = {
    {"verdict", "the first line of the report"},
    {"exit_code", "the exit code of the command"},
    {"notes", "number of findings that are notes"},
    {"vendors", "list: file, library, state (ok, no_device, broken, crashes, hangs),"},
    {"", "platforms (list: name, devices)"},
    {"loader", "name and file of the OpenCL loader; null without one"},
    {"cache", "folder, usable, records, bytes; null without a cache"},
    {"device", "select, name, platform, driver, device_class; null without one"},
    {"kernels", "seconds until built; with --full: built, failed (counts; else null)"},
    {"arithmetic", "flushes_inputs, flushes_results, contracts, reorders_sums,"},
    {"", "reorders_in_order, plain_divide_correct, plain_sqrt_correct,"},
    {"", "divide_correct, sqrt_correct, software_divide_correct,"},
    {"", "software_sqrt_correct, conversions_correct, loops_correct"},
    {"", "(booleans), loop_limit, cases"},
    {"operations", "list: name, cases (that were run), of (all cases), as_large (cases"},
    {"", "that were run again, divided as large inputs are), wrong,"},
    {"", "worst (error as a fraction of its bound)"},
    {"fast_products", "with --full: state (ok, refused), gflops, exact_gflops"},
    {"bandwidth", "bytes, copy_gb_s, read_gb_s, write_gb_s"},
    {"findings", "list: level (ok, note, FAILED), part, text"},
    {0},
};

const tool_command command_doctor = {
    .name = "doctor",
    .summary = "check the OpenCL installation and the device",
    .operands = "[OP...] [--device D] [--full] [--json]",
    .operands_max = 64,
    .operand_word = operand_word,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes =
        "The vendors' libraries and the device are first tested in child processes, so that a\n"
        "driver that crashes or hangs is found and named. Exits 4 if the device computed a\n"
        "wrong result, 3 if no device can be used, 7 if a kernel did not build, 1 if the driver\n"
        "crashed. With operations OP only these are checked; with --full, with all of their cases\n"
        "for up to 10 minutes each, and again as long divided as large inputs are.",
    .run = run,
};
