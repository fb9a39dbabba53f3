/* live_line.c: the live line of a terminal. */
#include "live_line.h"
#include "base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 256, MIN_WIDTH = 20, DRAWN_BYTES = LINE_BYTES + 64 };

/* Seconds: between two looks of the thread; until what began is shown; until the age of a line
 * is. */
static const double look = 0.1, moment = 0.4, age = 0.9;

typedef enum line_kind { LINE_BEGUN, LINE_SAID, LINE_REPORTED } line_kind;

static struct {
    pthread_mutex_t lock; /* guards all that follows but the last two */
    bool is_decided, is_on, has_color, has_thread;
    pid_t owner;           /* not a child of it */
    char text[LINE_BYTES]; /* "": nothing */
    line_kind kind;
    double since; /* when the text began */
    bool has_bytes;
    int64_t bytes, size;
    bool is_building;
    int64_t built, total;
    double first_build, last_build; /* of kernels with no pause between them */
    char drawn[LINE_BYTES];         /* what is on the screen */
    volatile sig_atomic_t is_shown, is_over;
} live = {.lock = PTHREAD_MUTEX_INITIALIZER, .last_build = -1};

static const char clear[] = "\r\x1b[K";

static void put(const char *bytes, size_t count) {
    const ssize_t ignored = write(STDERR_FILENO, bytes, count);
    (void)ignored;
}

/* ---- whether there is one ------------------------------------------------------------------- */

static bool quiet;

void set_quiet(void) {
    quiet = true;
}

bool is_quiet(void) {
    return quiet;
}

bool live_line_is_possible(void) {
    const char *const term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void live_line_force(bool on) {
    const char *const no_color = getenv("NO_COLOR");
    live.is_decided = true;
    live.is_on = on && !quiet;
    live.has_color = !(no_color && no_color[0]);
    live.owner = getpid();
}

static bool is_on(void) {
    if (!live.is_decided) live_line_force(live_line_is_possible());
    return live.is_on && live.owner == getpid();
}

/* ---- drawing -------------------------------------------------------------------------------- */

static int terminal_width(void) {
    struct winsize size;
    const char *const columns = getenv("COLUMNS");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const int width = columns ? atoi(columns) : 0;
    return width >= MIN_WIDTH ? width : 80;
}

/* In one write, so that nothing comes between. One column stays empty: a full line would wrap on
 * some terminals. */
static void draw(const char *line) {
    char bytes[DRAWN_BYTES];
    snprintf(live.drawn, sizeof live.drawn, "%s", line);
    const int length =
        snprintf(bytes, sizeof bytes, "\r%s%.*s%s\x1b[K", live.has_color ? "\x1b[2m" : "",
                 terminal_width() - 1, line, live.has_color ? "\x1b[0m" : "");
    if (live.is_over) return;
    live.is_shown = 1;
    put(bytes, (size_t)length);
}

static void remove_line(void) {
    if (live.is_shown) put(clear, sizeof clear - 1);
    live.is_shown = 0;
    live.drawn[0] = '\0';
}

/* ---- what it says --------------------------------------------------------------------------- */

static void add_bytes(char *line, size_t size) {
    const size_t used = strlen(line);
    const int digits = live.size >= 0 && live.size < 10000000 ? 1 : 0;
    if (!live.has_bytes) return;
    if (live.size >= 0)
        snprintf(line + used, size - used, ": %.*f of %.*f MB", digits, 1e-6 * (double)live.bytes,
                 digits, 1e-6 * (double)live.size);
    else
        snprintf(line + used, size - used, ": %.0f MB", 1e-6 * (double)live.bytes);
}

static void say_build(char *line, size_t size, double now) {
    char of[32] = "";
    if (live.total > 0) snprintf(of, sizeof of, " of %lld", (long long)live.total);
    snprintf(line, size, "building kernels, once per device: %lld%s, %.0f s",
             (long long)live.built + live.is_building, of, now - live.first_build);
}

/* The line of now; "": there is none. */
static void compose(char *line, size_t size, double now) {
    const bool builds = live.is_building || now - live.last_build < moment;
    const double seconds = now - live.since;
    line[0] = '\0';
    if (builds && now - live.first_build >= moment) {
        say_build(line, size, now);
    } else if (live.text[0] && (live.kind != LINE_BEGUN || seconds >= moment)) {
        snprintf(line, size, "%s", live.text);
        add_bytes(line, size);
        const size_t used = strlen(line);
        if (live.kind == LINE_BEGUN || seconds >= age)
            snprintf(line + used, size - used,
                     live.kind == LINE_REPORTED ? "  (%.0f s ago)" : ", %.0f s", seconds);
    }
}

static void *redraw(void *unused) {
    const struct timespec pause = {.tv_nsec = (long)(look * 1e9)};
    char line[LINE_BYTES];
    (void)unused;
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&live.lock);
        compose(line, sizeof line, spc_clock());
        if (line[0] && strcmp(line, live.drawn) != 0) draw(line);
        pthread_mutex_unlock(&live.lock);
    }
    return NULL;
}

/* Without a thread the line is drawn less often. Signals are for others. */
static void start_thread(void) {
    sigset_t all, before;
    pthread_t thread;
    if (live.has_thread) return;
    live.has_thread = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, redraw, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- what is called ------------------------------------------------------------------------- */

/* False: there is no line. Else it is locked. */
static bool enter(void) {
    if (!is_on()) return false;
    start_thread();
    pthread_mutex_lock(&live.lock);
    return true;
}

static void leave(void) {
    pthread_mutex_unlock(&live.lock);
}

void live_line_begin(const char *text) {
    if (!enter()) return;
    if (live.kind != LINE_BEGUN || strcmp(text, live.text) != 0) live.since = spc_clock();
    snprintf(live.text, sizeof live.text, "%s", text);
    live.kind = LINE_BEGUN;
    live.has_bytes = false;
    leave();
}

void live_line_bytes(void *unused, int64_t bytes, int64_t size) {
    (void)unused;
    if (!enter()) return;
    live.has_bytes = true;
    live.bytes = bytes;
    live.size = size;
    leave();
}

void live_line_build(const sparcl_kernel_build *build) {
    const double now = spc_clock();
    if (!enter()) return;
    if (!build->is_done && now - live.last_build >= moment) live.first_build = now;
    live.is_building = !build->is_done;
    live.built = build->done;
    live.total = build->total;
    live.last_build = now;
    leave();
}

static void show(const char *line, line_kind kind) {
    if (!enter()) return;
    snprintf(live.text, sizeof live.text, "%s", line);
    live.kind = kind;
    live.has_bytes = false;
    live.since = spc_clock();
    live.last_build = -1;
    draw(line);
    leave();
}

void live_line_say(const char *line) {
    show(line, LINE_SAID);
}

void live_line_report(const char *line) {
    show(line, LINE_REPORTED);
}

/* Nothing is drawn in between. */
static _Thread_local bool holds;

void live_line_hold(void) {
    holds = enter();
    if (holds) remove_line();
}

void live_line_release(void) {
    if (holds) leave();
    holds = false;
}

void live_line_end(void) {
    if (!enter()) return;
    live.text[0] = '\0';
    live.last_build = -1;
    remove_line();
    leave();
}

void live_line_keep(void) {
    if (!enter()) return;
    if (live.text[0] && live.kind == LINE_REPORTED) {
        draw(live.text);
        put("\n", 1);
        live.is_shown = 0;
    }
    live.text[0] = '\0';
    remove_line();
    leave();
}

bool live_line_clear_in_handler(void) {
    const bool is_shown = live.is_shown && live.owner == getpid();
    if (is_shown) put(clear, sizeof clear - 1);
    return is_shown;
}

bool live_line_end_in_handler(void) {
    live.is_over = 1;
    return live_line_clear_in_handler();
}
