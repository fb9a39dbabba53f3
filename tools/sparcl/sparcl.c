/* sparcl.c: the main function of the tool: finds the command and runs it. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/nearest.h"
#include "help.h"
#include "lost_file.h"
#include "message.h"
#include "model_kind.h"
#include "optimizer.h"
#include "options.h"
#include "output.h"
#include "pocl_cache.h"
#include "sweep_options.h"
#include "threads.h"

extern const tool_command command_train, command_eval, command_predict, command_inspect,
    command_convert, command_devices, command_plan, command_bench, command_tune, command_doctor,
    command_version, command_help, command_diff, command_report, command_encode, command_infer,
    command_split, command_sample, command_sweep, command_validate, command_show;

const tool_command *const commands[] = {
    &command_train,    &command_sweep,
    &command_eval,     &command_predict,
    &command_encode,   &command_infer,
    &command_show,     &command_inspect,
    &command_validate, &command_convert,
    &command_split,    &command_sample,
    &command_diff,     &command_report,
    &command_devices,  &command_plan,
    &command_bench,    &command_tune,
    &command_doctor,   &command_version,
    &command_help,     NULL,
};

/* The operand of a command that comes after it, as in some other tools. */
static exit_code file_before_command(const char *name, const char *next) {
    const bool is_command = next && find_command(next);
    return usage_error("%s is a file, expected a command first: sparcl %s %s", name,
                       is_command ? next : "inspect", name);
}

static exit_code unknown_command(const char *name, const char *next) {
    if (access(name, F_OK) == 0) return file_before_command(name, next);
    spc_nearest meant = {.word = name};
    for (const tool_command *const *c = commands; *c; c++)
        spc_nearest_offer(&meant, (*c)->name);
    return usage_error("there is no command \"%s\"%s", name, spc_nearest_hint(&meant, "", ""));
}

/* A file that is opened would take the number of a standard one that is closed, and get what is
 * printed. These are open the wrong way, so that using them is an error. */
static void open_standard_files(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
    open_standard_files();
    if (getauxval(AT_SECURE))
        return (int)usage_error(
            "it was started with rights that its user lacks (AT_SECURE: set-user-ID, set-group-ID, "
            "capabilities, a change of domain), and loads drivers that the environment names; "
            "remove them from the file: chmod ug-s, setcap -r");
    /* Only for the width of characters in tables: numbers are read and written in the "C"
     * locale. */
    setlocale(LC_CTYPE, "");
    spread_threads();
    pocl_cache_choose();
    lost_file_install();
    fill_model_words();
    fill_optimizer_words();
    fill_sweep_options();
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        if (argc > 2) return (int)run_command(&command_help, argc - 1, (const char **)argv + 1);
        print_overview(stdout);
        return (int)flush_results();
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    if (name[0] == '-') return (int)usage_error("%s: expected a command first", name);
    const tool_command *const command = find_command(name);
    if (!command) return (int)unknown_command(name, argv[2]);
    return (int)run_command(command, argc - 1, (const char **)argv + 1);
}
