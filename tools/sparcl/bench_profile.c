/* bench_profile.c: the output of 'sparcl bench --profile': the time of each kernel of a call. */
#include "bench_profile.h"

#include <inttypes.h>
#include <stdlib.h>

#include "message.h"
#include "output.h"
#include "sparcl/profile.h"

enum { CALLS = 20 };

static sparcl_status make_calls(sparcl_ctx *ctx, const spec_bench *bench,
                                const spec_bench_call *call, sparcl_profile *recorded) {
    sparcl_status status = sparcl_profile_reset(ctx);
    for (int i = 0; i < CALLS && status == SPARCL_OK; i++)
        status = bench->run(ctx, call);
    return status == SPARCL_OK ? sparcl_profile_read(ctx, recorded) : status;
}

static void print_line(const sparcl_profile_line *l) {
    char name[sizeof l->name + 16];
    snprintf(name, sizeof name, "%s%s", l->name, l->variant ? " (variant)" : "");
    printf("    %-44s %5.3g per call %10.4g ms\n", name, (double)l->count / CALLS,
           l->seconds / CALLS * 1e3);
}

static exit_code print_json(const spec_bench *bench, const spec_bench_call *call, const char *name,
                            const sparcl_profile_line *l) {
    json_t *const line =
        json_pack("{s:s, s:o, s:I, s:s, s:b, s:f, s:f}", "op", bench->name, "case", json_text(name),
                  "n", (json_int_t)call->input->n, "command", l->name, "second_variant", l->variant,
                  "commands_per_call", (double)l->count / CALLS, "device_s", l->seconds / CALLS);
    char *const text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    if (text) puts(text);
    free(text);
    json_decref(line);
    return text ? EXIT_OK : out_of_memory();
}

exit_code bench_profile_print(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call,
                              const char *name, bool as_json) {
    sparcl_profile recorded;
    exit_code code = EXIT_OK;
    if (make_calls(ctx, bench, call, &recorded) != SPARCL_OK)
        return report_device(ctx, sparcl_ctx_error(ctx));
    for (int i = 0; i < recorded.count && code == EXIT_OK; i++)
        if (as_json)
            code = print_json(bench, call, name, &recorded.lines[i]);
        else
            print_line(&recorded.lines[i]);
    return code == EXIT_OK ? flush_results() : code;
}
