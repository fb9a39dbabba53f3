/* doctor_try.c: the work of the doctor's checks is first done in child processes, up to one for
 * each core. So a driver that crashes or hangs is found, and afterwards the compiled kernels are in
 * the caches. */
#define _GNU_SOURCE /* mkdtemp */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "child_clock.h"
#include "message.h"
#include "open_device.h"
#include "pocl_cache.h"
#include "sparcl/probe.h"
#include "stop.h"

enum { MAX_CHILDREN = 4, ITEM_ALL_PROGRAMS, ITEM_PROBE, ITEM_SPEED, ITEM_CASES };

/* No program that a child builds, and no item without one, takes longer than this. */
static const double max_silence = 120;
/* Seconds after the start of the command after which no case beyond the first of each operation
 * begins. */
static const double optional_end = 4;

/* A child sends this when it begins an item, and when it has built a program. */
typedef struct begin_message {
    unsigned char child, item;
} begin_message;

typedef struct trial {
    doctor *d;
    doctor_case cases[MAX_CASES];
    int operations, count;     /* number of required cases, and of all cases */
    int queue[2], messages[2]; /* pipes: items to do, as bytes; messages of the children */
    pid_t children[MAX_CHILDREN];
    int child_count;
    int now[MAX_CHILDREN]; /* the current item of each child */
    child_clock clocks[MAX_CHILDREN];
    bool killed[MAX_CHILDREN]; /* by the parent, because of another child */
    bool stop_at_failure;      /* not only at a crash */
    int signal, item;          /* of a child that crashed, or whose item failed */
    bool failed;               /* an item was not done, without a crash */
    bool late;                 /* a child did not end in time */
} trial;

/* ---- in a child ----------------------------------------------------------------------------- */

static bool is_optional(const trial *t, int item) {
    return !t->d->full && item >= ITEM_CASES + t->operations;
}

static sparcl_status do_item(const trial *t, sparcl_ctx *ctx, int item) {
    if (item == ITEM_ALL_PROGRAMS) return sparcl_ctx_build_all(ctx, NULL, NULL);
    if (item == ITEM_PROBE) {
        sparcl_probe probe;
        return sparcl_ctx_probe(ctx, &probe);
    }
    if (item == ITEM_SPEED) {
        doctor_speed speed = {0};
        limits_memory memory = {0};
        if (t->d->full) measure_products(ctx, &speed);
        return limits_bandwidth(ctx, &memory);
    }
    const doctor_case *const one = &t->cases[item - ITEM_CASES];
    spec_report report = {0};
    return spec_check(ctx, one->op, &one->c, &report);
}

static void discard_output(void) {
    const struct rlimit no_core = {0, 0};
    const int null_device = open("/dev/null", O_RDWR);
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(null_device, STDOUT_FILENO);
    dup2(null_device, STDERR_FILENO);
}

/* What a child does now, for its log. */
typedef struct child_state {
    begin_message message;
    int to;
} child_state;

static bool send_message(const child_state *s) {
    return write(s->to, &s->message, sizeof s->message) == (ssize_t)sizeof s->message;
}

static void log_program(void *user, sparcl_log_level level, const char *message) {
    const child_state *const s = user;
    (void)level, (void)message;
    if (s->message.item > 0) (void)send_message(s);
}

/* Errors without a crash occur again in the parent, which reports them. */
static void run_child(const trial *t, int number) {
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    child_state s = {.message = {.child = (unsigned char)number}, .to = t->messages[1]};
    stop_leave_to_system();
    const sparcl_ctx_desc desc = {.log = log_program, .log_user = &s};
    bool good = open_context(t->d->device, desc, &ctx, &error) == SPARCL_OK;
    while (good && read(t->queue[0], &s.message.item, 1) == 1) {
        if (is_optional(t, s.message.item) && spc_clock() - t->d->begin > optional_end) break;
        good = send_message(&s) && do_item(t, ctx, s.message.item) == SPARCL_OK;
    }
    sparcl_ctx_close(ctx);
    _exit(good ? 0 : 1);
}

/* ---- in the parent -------------------------------------------------------------------------- */

static void describe_item(const trial *t, int item, char *text, size_t bytes) {
    static const char *const names[] = {"every program", "the arithmetic", "the bandwidth"};
    if (item < ITEM_CASES)
        snprintf(text, bytes, "%s",
                 item > 0 ? names[item - ITEM_ALL_PROGRAMS] : "opening the device");
    else
        snprintf(text, bytes, "%s", t->cases[item - ITEM_CASES].op->name);
}

static bool fill_queue(trial *t, const unsigned char *items, size_t count) {
    if (pipe(t->queue) != 0) return false;
    const bool good = write(t->queue[1], items, count) == (ssize_t)count;
    close(t->queue[1]);
    if (!good) close(t->queue[0]);
    return good;
}

static void start_children(trial *t, int count) {
    fflush(NULL);
    for (t->child_count = 0; t->child_count < count; t->child_count++) {
        const pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            close(t->messages[0]);
            discard_output();
            run_child(t, t->child_count);
        }
        t->children[t->child_count] = child;
        t->now[t->child_count] = 0;
        t->killed[t->child_count] = false;
        child_clock_start(&t->clocks[t->child_count], child);
    }
    close(t->messages[1]);
}

static void handle_message(trial *t, const begin_message *message) {
    char text[64];
    const bool is_new = t->now[message->child] != message->item;
    child_clock_start(&t->clocks[message->child], t->children[message->child]);
    t->now[message->child] = message->item;
    if (!is_new) return;
    describe_item(t, message->item, text, sizeof text);
    if (message->item < ITEM_CASES + t->operations)
        progress_say(&t->d->progress, "testing %s", text);
    else if (t->d->optional_cases++ == 0)
        progress_say(&t->d->progress, "testing more cases");
}

/* What has become of a child, which remains to be waited for; si_pid is 0 while it runs. */
static siginfo_t end_of_child(pid_t child) {
    siginfo_t about = {0};
    if (waitid(P_PID, (id_t)child, &about, WEXITED | WNOHANG | WNOWAIT) != 0) about.si_pid = 0;
    return about;
}

/* True if a child is silent for too long; t->item: what it does. */
static bool find_late(trial *t) {
    for (int i = 0; i < t->child_count; i++) {
        if (child_clock_read(&t->clocks[i]) <= max_silence ||
            end_of_child(t->children[i]).si_pid != 0)
            continue;
        t->item = t->now[i];
        return true;
    }
    return false;
}

/* True if a child has crashed, or has failed where that is to end the others. */
static bool find_failed(const trial *t) {
    for (int i = 0; i < t->child_count; i++) {
        const siginfo_t about = end_of_child(t->children[i]);
        if (about.si_pid == 0 || (about.si_code == CLD_EXITED && about.si_status == 0)) continue;
        if (about.si_code != CLD_EXITED || t->stop_at_failure) return true;
    }
    return false;
}

/* Read messages until all children have ended, one is silent for too long, or one has failed. */
static void wait_for_children(trial *t) {
    while (!find_failed(t)) {
        struct pollfd waiting = {.fd = t->messages[0], .events = POLLIN};
        begin_message message;
        const int ready = poll(&waiting, 1, CHILD_CLOCK_TICK);
        if (ready > 0) {
            if (read(t->messages[0], &message, sizeof message) != (ssize_t)sizeof message) return;
            handle_message(t, &message);
        } else if ((ready < 0 && errno != EINTR) || find_late(t)) {
            t->late = true;
            break;
        }
    }
    for (int i = 0; i < t->child_count; i++) {
        t->killed[i] = end_of_child(t->children[i]).si_pid == 0;
        if (t->killed[i]) kill(t->children[i], SIGKILL);
    }
}

/* True if all children have done their work without an error. */
static bool end_children(trial *t) {
    bool good = t->child_count > 0;
    for (int i = 0; i < t->child_count; i++) {
        int status = 0;
        while (waitpid(t->children[i], &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        good = false;
        if (t->killed[i]) continue;
        t->failed = t->failed || WIFEXITED(status);
        if (WIFSIGNALED(status)) t->signal = WTERMSIG(status);
        if (WIFSIGNALED(status) || !t->signal) t->item = t->now[i];
    }
    close(t->messages[0]);
    return good;
}

/* Do what is in the queue, until something fails. */
static bool do_queue(trial *t, int children) {
    if (pipe(t->messages) != 0) return false;
    start_children(t, children);
    wait_for_children(t);
    return end_children(t);
}

/* ---- a crash -------------------------------------------------------------------------------- */

/* Repeat the item that crashed or failed with an empty cache of PoCL; true if it works. */
static bool works_with_new_cache(const trial *crashed) {
    char folder[] = "/tmp/sparcl_doctor_XXXXXX", command[64];
    trial again = *crashed;
    const unsigned char item = (unsigned char)(crashed->item > 0 ? crashed->item : ITEM_PROBE);
    const char *const setting = getenv("POCL_CACHE_DIR");
    char *const before = setting ? strdup(setting) : NULL;
    if (!mkdtemp(folder)) return false;
    again.signal = 0;
    again.failed = false;
    setenv("POCL_CACHE_DIR", folder, 1);
    bool good = fill_queue(&again, &item, 1);
    if (good) {
        good = do_queue(&again, 1);
        close(again.queue[0]);
    }
    if (before)
        setenv("POCL_CACHE_DIR", before, 1);
    else
        unsetenv("POCL_CACHE_DIR");
    free(before);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) print_note("%s could not be removed", folder);
    return good;
}

static void report_damage(doctor *d, const trial *t) {
    char folder[4096], command[4300], how[96] = "";
    pocl_cache_folder(folder, sizeof folder);
    pocl_cache_command(command, sizeof command);
    if (t->signal) snprintf(how, sizeof how, ", and PoCL crashes (%s)", strsignal(t->signal));
    add_failure(d, EXIT_RUNTIME, "kernels",
                "PoCL's kernel cache in %s is damaged%s: remove it with: %s", folder, how, command);
}

static void report_crash(doctor *d, const trial *t) {
    char what[64];
    describe_item(t, t->item, what, sizeof what);
    add_failure(d, EXIT_RUNTIME, "kernels", "the driver %s%s%s in this test: %s",
                t->late ? "hangs" : "crashes (", t->late ? "" : strsignal(t->signal),
                t->late ? "" : ")", what);
}

bool try_device(doctor *d) {
    static trial t;
    unsigned char items[ITEM_CASES + MAX_CASES];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = 0;
    t.d = d;
    t.count = choose_cases(&d->names, t.cases, &t.operations);
    if (d->names.count == 0) {
        if (d->full) items[count++] = ITEM_ALL_PROGRAMS;
        items[count++] = ITEM_PROBE;
        items[count++] = ITEM_SPEED;
    }
    /* The last operations have more kernels; they begin first, so that the children end at about
     * the same time. */
    for (int i = 0; i < t.count; i++) {
        const int number = i < t.operations ? t.operations - 1 - i : i;
        items[count++] = (unsigned char)(ITEM_CASES + number);
    }
    if (!fill_queue(&t, items, count)) return true;
    const int children = cores > 1 ? (int)(cores < 4 ? cores : MAX_CHILDREN) : 1;
    t.stop_at_failure = true;
    do_queue(&t, children);
    const bool damaged = (t.signal || t.failed) && !t.late && works_with_new_cache(&t);
    if (!damaged && t.failed && !t.signal && !t.late) { /* the rest of the queue */
        t.stop_at_failure = false;
        do_queue(&t, children);
    }
    close(t.queue[0]);
    if (damaged)
        report_damage(d, &t);
    else if (t.signal || t.late)
        report_crash(d, &t);
    return !damaged && !t.signal && !t.late;
}
