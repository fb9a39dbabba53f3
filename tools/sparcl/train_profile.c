/* train_profile.c: the output of train --profile: the times of a run. */
#include "train_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "message.h"
#include "output.h"

void profile_begin(train_profile *p, sparcl_ctx *ctx) {
    *p = (train_profile){.ctx = ctx, .start = spc_clock()};
}

void profile_end(train_profile *p) {
    free(p->lines);
    p->lines = NULL;
    parts_free(&p->parts);
}

static void read_profile(train_profile *p) {
    sparcl_profile recorded;
    p->status = sparcl_profile_read(p->ctx, &recorded);
    p->seconds = spc_clock() - p->start;
    if (p->status != SPARCL_OK) return;
    p->build_seconds = recorded.build_seconds;
    p->lines = malloc((size_t)recorded.count * sizeof *p->lines + 1);
    if (p->lines && recorded.count > 0)
        memcpy(p->lines, recorded.lines, (size_t)recorded.count * sizeof *p->lines);
    p->count = p->lines ? recorded.count : 0;
    if (p->lines && !parts_take(&p->parts, &recorded)) profile_end(p);
}

/* The first step builds kernels, and the last step of a pass includes the end of the pass. */
void profile_progress(train_profile *p, const sparcl_train_progress *now) {
    if (!p->ctx) return;
    const int64_t launches = sparcl_ctx_launches(p->ctx);
    const launch_count since = {launches - p->launches, now->step - p->step};
    if (p->step > 0) {
        p->all.launches += since.launches;
        p->all.steps += since.steps;
    }
    if (p->step > 0 && now->epoch == p->epoch) {
        p->within.launches += since.launches;
        p->within.steps += since.steps;
    }
    p->launches = launches;
    p->step = now->step;
    p->epoch = now->epoch;
    if (now->epoch == now->epochs) read_profile(p);
}

exit_code profile_code(train_profile *p) {
    if (!p->ctx) return EXIT_OK;
    if (p->status == SPARCL_OK && !p->lines) read_profile(p); /* the run ended before all passes */
    if (p->status != SPARCL_OK) return report(sparcl_ctx_error(p->ctx));
    if (p->lines) parts_measure(&p->parts, p->ctx);
    return p->lines ? EXIT_OK : out_of_memory();
}

/* ---- the output ----------------------------------------------------------------------------- */

static double launches_per_step(const train_profile *p) {
    const launch_count *const from = p->within.steps > 0 ? &p->within : &p->all;
    return from->steps > 0 ? (double)from->launches / (double)from->steps : (double)NAN;
}

static double device_seconds(const train_profile *p) {
    double sum = 0;
    for (int i = 0; i < p->count; i++)
        sum += p->lines[i].seconds;
    return sum;
}

/* The remaining time: the device waits for the host or for its own driver, while nothing is
 * built. */
static double host_seconds(const train_profile *p) {
    return fmax(0, p->seconds - device_seconds(p) - p->build_seconds);
}

static void add_row(const train_profile *p, struct libscols_table *table, const char *name,
                    int64_t count, int64_t bytes, double seconds) {
    char counted[NUMBER_BYTES] = "", moved[NUMBER_BYTES] = "", each[NUMBER_BYTES] = "";
    char time[NUMBER_BYTES], percent[NUMBER_BYTES];
    snprintf(time, sizeof time, "%.4f", seconds);
    snprintf(percent, sizeof percent, "%.1f %%", p->seconds > 0 ? 100 * seconds / p->seconds : 0);
    if (count > 0) snprintf(counted, sizeof counted, "%" PRId64, count);
    if (count > 0) snprintf(each, sizeof each, "%.1f", 1e6 * seconds / (double)count);
    if (bytes > 0) format_bytes(moved, bytes);
    const char *const cells[] = {name, counted, time, percent, each, moved};
    table_add(table, NULL, cells);
}

exit_code profile_print(const train_profile *p) {
    static const char *const names[] = {"command",         ">count", ">seconds", ">fraction",
                                        ">us per command", ">bytes", NULL};
    if (!p->ctx) return EXIT_OK;
    printf("\n");
    struct libscols_table *const table = table_new(names);
    for (int i = 0; i < p->count; i++) {
        const sparcl_profile_line *const line = &p->lines[i];
        char name[sizeof line->name + 16];
        snprintf(name, sizeof name, "%s%s", line->name, line->variant ? " (variant)" : "");
        add_row(p, table, name, line->count, line->bytes, line->seconds);
    }
    add_row(p, table, "building kernels", 0, 0, p->build_seconds);
    add_row(p, table, "host and waiting", 0, 0, host_seconds(p));
    add_row(p, table, "total", 0, 0, p->seconds);
    exit_code code = table_print(table);
    if (code == EXIT_OK) code = parts_print(&p->parts, p->seconds, device_seconds(p));
    const double launches = launches_per_step(p);
    if (code == EXIT_OK && isnan(launches))
        printf(
            "\nthe first step, which builds kernels, is the only one: with --epochs 2 the kernels "
            "launched per step are counted\n");
    else if (code == EXIT_OK)
        printf("\n%.4g kernels launched per step\n", launches);
    return code == EXIT_OK ? flush_results() : code;
}

static json_t *describe_line(const sparcl_profile_line *line) {
    if (line->kind == SPARCL_PROFILE_KERNEL)
        return json_pack("{s:s, s:b, s:I, s:f}", "kernel", line->name, "variant", line->variant,
                         "launches", (json_int_t)line->count, "seconds", line->seconds);
    return json_pack("{s:s, s:I, s:I, s:f}", "transfer", line->name, "count",
                     (json_int_t)line->count, "bytes", (json_int_t)line->bytes, "seconds",
                     line->seconds);
}

/* When out of memory, the writer of the object reports it. */
void profile_add(const train_profile *p, json_t *object) {
    json_t *const kernels = json_array(), *const transfers = json_array();
    if (p->ctx) {
        for (int i = 0; i < p->count; i++)
            json_array_append_new(p->lines[i].kind == SPARCL_PROFILE_KERNEL ? kernels : transfers,
                                  describe_line(&p->lines[i]));
        json_t *const profile = json_pack(
            "{s:f, s:f, s:f, s:f, s:o, s:O, s:O}", "seconds", p->seconds, "device_seconds",
            device_seconds(p), "build_seconds", p->build_seconds, "host_seconds", host_seconds(p),
            "launches_per_step", json_number(launches_per_step(p)), "kernels", kernels, "transfers",
            transfers);
        if (profile) parts_add(&p->parts, profile);
        json_object_set_new(object, "profile", profile);
    }
    json_decref(kernels);
    json_decref(transfers);
}
