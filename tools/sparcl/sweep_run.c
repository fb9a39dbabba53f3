/* sweep_run.c: runs the points of a sweep as processes. */
#include "sweep_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "live_line.h"
#include "message.h"
#include "stop.h"
#include "verbose.h"

/* Between two looks for ended runs and for signals; what is shown of a message. */
enum { PAUSE_NANOSECONDS = 10 * 1000 * 1000, TAIL_BYTES = 4096 };

typedef struct child {
    pid_t id; /* 0: none */
    sweep_point *point;
} child;

typedef struct state {
    sweep_work *work;
    child *children; /* [jobs] */
    int next;        /* point that may be the next one to begin */
    int running, ended;
    bool is_stopping, is_interrupted;
} state;

/* ---- in the child --------------------------------------------------------------------------- */

/* Standard output and error go to the file; there is no input. */
static bool redirect(const char *path) {
    const int in = open("/dev/null", O_RDONLY);
    const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
    return in >= 0 && out >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
           dup2(out, STDERR_FILENO) >= 0;
}

/* A group of its own, so that an interrupt from the keyboard reaches it once, by us; and it ends
 * where we are killed. */
static void run_point(char **arguments, const char *log) {
    setpgid(0, 0);
    stop_leave_to_system();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (!redirect(log)) _exit(EXIT_RUNTIME);
    execv("/proc/self/exe", arguments);
    execvp(arguments[0], arguments);
    print_error("sparcl cannot be started again: %s", strerror(errno));
    _exit(EXIT_RUNTIME);
}

/* ---- begin ---------------------------------------------------------------------------------- */

static child *free_child(const state *s) {
    for (int64_t i = 0; i < s->work->jobs; i++)
        if (s->children[i].id == 0) return &s->children[i];
    return NULL;
}

static pid_t start_process(char **arguments, const char *log) {
    fflush(NULL);
    const pid_t id = fork();
    if (id == 0) run_point(arguments, log);
    if (id > 0) setpgid(id, id); /* before a signal that we pass on */
    return id;
}

static exit_code begin(state *s, sweep_point *point) {
    child *const slot = free_child(s);
    char **const arguments = point_arguments(point, s->work->folder);
    char *const log = point_file(s->work->folder, point, "txt");
    exit_code code = arguments && log ? EXIT_OK : out_of_memory();
    const pid_t id = code == EXIT_OK ? start_process(arguments, log) : -1;
    if (id > 0) {
        *slot = (child){id, point};
        s->running++;
    } else if (code == EXIT_OK) {
        print_error("a process cannot be started: %s", strerror(errno));
        code = EXIT_RUNTIME;
    }
    free_arguments(arguments);
    free(log);
    return code;
}

static exit_code begin_more(state *s) {
    sweep_work *const w = s->work;
    exit_code code = EXIT_OK;
    begin_part("%d of %d runs are done", s->ended, w->count);
    while (code == EXIT_OK && !s->is_stopping && s->running < w->jobs && s->next < w->count) {
        sweep_point *const point = &w->points[s->next++];
        if (point->state == SWEEP_WAITS) code = begin(s, point);
    }
    return code;
}

/* ---- end ------------------------------------------------------------------------------------ */

/* The last error in what a run has printed, without its notes. */
static const char *last_error(char *text) {
    static const char begin_of_line[] = "\nsparcl: ", note[] = "note: ";
    const char *found = NULL;
    for (char *at = text; (at = strstr(at, begin_of_line));) {
        at += sizeof begin_of_line - 1;
        if (strncmp(at, note, sizeof note - 1) != 0) found = at;
    }
    return found;
}

/* A run that could not even say what was wrong: its file may be what cannot be written. */
static void print_log_problem(const char *path, int status) {
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    char line[64];
    const int length =
        snprintf(line, sizeof line, "sparcl: note: the run ended with status %d\n", status);
    const bool is_written = file >= 0 && write(file, line, (size_t)length) == (ssize_t)length;
    if (!is_written) print_error("%s: cannot be written: %s", path, strerror(errno));
    if (file >= 0) close(file);
}

static void print_last_error(const state *s, const sweep_point *point) {
    char text[TAIL_BYTES + 2] = "\n";
    char *const path = point_file(s->work->folder, point, "txt");
    FILE *const in = path ? fopen(path, "rb") : NULL;
    if (in && (fseek(in, -TAIL_BYTES, SEEK_END) == 0 || fseek(in, 0, SEEK_SET) == 0)) {
        text[1 + fread(text + 1, 1, TAIL_BYTES, in)] = '\0';
        const char *const error = last_error(text);
        size_t length = error ? strlen(error) : 0;
        while (length > 0 && error[length - 1] == '\n')
            length--;
        if (error) print_error("%s: %.*s", point->name, (int)length, error);
        if (!error) print_log_problem(path, (int)point->code);
    }
    if (in) fclose(in);
    free(path);
}

static void report_failure(state *s, sweep_point *point, int status) {
    point->state = SWEEP_FAILED;
    point->code = WIFEXITED(status) ? (exit_code)WEXITSTATUS(status) : EXIT_RUNTIME;
    print_last_error(s, point);
    if (WIFSIGNALED(status))
        print_error("%s: the run was ended by signal %d (%s)", point->name, WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    print_note("%s/%s.txt has all that this run has printed", s->work->folder, point->name);
    if (s->work->stops_on_failure) s->is_stopping = true;
}

/* What a checkpoint is for is over. */
static void remove_checkpoint(const state *s, const sweep_point *point) {
    static const char *const endings[] = {"checkpoint", "checkpoint.previous"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *const path = point_file(s->work->folder, point, endings[i]);
        if (path) unlink(path);
        free(path);
    }
}

static bool was_interrupted(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) == EXIT_INTERRUPTED
                             : WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT;
}

static void say_done(const state *s, const sweep_point *point) {
    const json_t *const result = json_object_get(point->run.facts, "result");
    const json_t *const loss = json_object_get(result, "loss");
    const json_t *const valid = json_object_get(result, "valid_loss");
    if (s->work->is_quiet) return;
    live_line_hold();
    fprintf(stderr, "%d of %d  %s  loss %.6g", s->ended, s->work->count, point->name,
            json_number_value(loss));
    if (json_is_number(valid)) fprintf(stderr, "  valid loss %.6g", json_number_value(valid));
    fputc('\n', stderr);
    live_line_release();
}

static exit_code end(state *s, sweep_point *point, int status) {
    if (was_interrupted(status)) {
        s->is_stopping = s->is_interrupted = true;
        return EXIT_OK;
    }
    s->ended++;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        report_failure(s, point, status);
        return EXIT_OK;
    }
    const exit_code code = point_find(point);
    if (code != EXIT_OK) return code;
    if (point->state != SWEEP_DONE) {
        print_error("%s: the run has not written its manifest", point->name);
        return EXIT_RUNTIME;
    }
    remove_checkpoint(s, point);
    say_done(s, point);
    return EXIT_OK;
}

static exit_code end_child(state *s, pid_t id, int status) {
    for (int64_t i = 0; i < s->work->jobs; i++) {
        child *const c = &s->children[i];
        if (c->id != id) continue;
        c->id = 0;
        s->running--;
        return end(s, c->point, status);
    }
    return EXIT_OK;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void interrupt_children(state *s) {
    s->is_stopping = true;
    s->is_interrupted = true;
    for (int64_t i = 0; i < s->work->jobs; i++)
        if (s->children[i].id > 0) kill(s->children[i].id, SIGTERM);
}

/* Handle one ended run, or look for a signal and wait a moment. */
static exit_code wait_a_moment(state *s, bool *is_told) {
    const struct timespec pause = {0, PAUSE_NANOSECONDS};
    int status = 0;
    const pid_t id = waitpid(-1, &status, WNOHANG);
    if (id > 0) return end_child(s, id, status);
    if (!*is_told && stop_was_requested()) {
        *is_told = true;
        interrupt_children(s);
    }
    nanosleep(&pause, NULL);
    return EXIT_OK;
}

exit_code sweep_run(sweep_work *work) {
    state s = {.work = work, .children = calloc((size_t)work->jobs, sizeof(child))};
    exit_code code = s.children ? EXIT_OK : out_of_memory();
    bool is_told = false;
    stop_set_mode(STOP_SOON);
    for (int i = 0; i < work->count; i++)
        s.ended += work->points[i].state == SWEEP_DONE;
    if (code == EXIT_OK) code = begin_more(&s);
    while (s.running > 0) {
        const exit_code now = wait_a_moment(&s, &is_told);
        if (code == EXIT_OK) code = now;
        if (code == EXIT_OK) code = begin_more(&s);
        if (code != EXIT_OK && !is_told) {
            is_told = true;
            interrupt_children(&s);
        }
    }
    free(s.children);
    if (code == EXIT_OK && s.is_interrupted) return EXIT_INTERRUPTED;
    return code;
}
