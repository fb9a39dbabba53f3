/* files.c: the files that a command reads and writes: known, and compared, before it begins. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/writer.h"
#include "message.h"

enum { LABEL_BYTES = 64, OPEN_FILES = 1024, INTERRUPTED_BYTES = 4200 };

typedef struct known_file {
    char label[LABEL_BYTES]; /* the option or operand */
    file_role role;
    char *path, *target; /* where links of an output lead */
    char *temporary;     /* of an output: number 0 */
    bool is_stream;      /* standard input or output */
    bool is_implied;     /* standard output that no option names */
    bool is_known;       /* the next three are what it is; else only its name is known */
    bool exists;
    dev_t device; /* its own, or those of its folder */
    ino_t inode;
} known_file;

static known_file *known;
static int known_count, known_capacity;
static char interrupted[INTERRUPTED_BYTES], interrupted_late[INTERRUPTED_BYTES];
static const known_file *result; /* the output that these texts name, or NULL */

static bool is_output(const known_file *f) {
    return f->role != FILE_READ;
}

static bool is_folder(const known_file *f) {
    return f->role == FOLDER_WRITTEN || f->role == FOLDER_USED;
}

bool is_standard_output(const char *path) {
    return path && (strcmp(path, "-") == 0 || spc_named_descriptor(path) == STDOUT_FILENO);
}

bool ends_in(const char *path, const char *ending) {
    const size_t bytes = strlen(path), end = strlen(ending);
    return bytes > end && strcasecmp(path + bytes - end, ending) == 0;
}

const char *written_path(const char *path) {
    return strcmp(path, "-") == 0 ? "/dev/stdout" : path;
}

/* ---- what a file is ------------------------------------------------------------------------- */

/* The name behind the last slash. */
static const char *base_of(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool stat_folder(const char *path, struct stat *about) {
    char *const folder = strndup(path, (size_t)(base_of(path) - path));
    const bool found = folder && stat(*folder ? folder : ".", about) == 0;
    free(folder);
    return found;
}

/* A file that is there, or the member of an archive that is. */
static bool stat_file(const known_file *f, struct stat *about) {
    const int descriptor = f->is_stream ? is_output(f) : spc_named_descriptor(f->path);
    if (descriptor >= 0) return fstat(descriptor, about) == 0;
    if (stat(f->path, about) == 0) return true;
    const char *const colon = is_output(f) ? NULL : strrchr(f->path, ':');
    char *const archive = colon ? strndup(f->path, (size_t)(colon - f->path)) : NULL;
    const bool found = archive && stat(archive, about) == 0;
    free(archive);
    return found;
}

/* Devices and pipes are none: many may use them. */
static void identify(known_file *f) {
    struct stat about;
    f->exists = stat_file(f, &about);
    if (!f->exists && !f->target) return;
    f->is_known = f->exists ? S_ISREG(about.st_mode) : stat_folder(f->target, &about);
    f->device = about.st_dev;
    f->inode = about.st_ino;
}

static bool are_same(const known_file *a, const known_file *b) {
    if (a->is_stream && b->is_stream)
        return is_output(a) == is_output(b) && !a->is_implied && !b->is_implied;
    if (!a->is_known || !b->is_known || a->exists != b->exists || a->device != b->device ||
        a->inode != b->inode)
        return false;
    return a->exists || strcmp(base_of(a->target), base_of(b->target)) == 0;
}

/* ---- whether an output can be written ------------------------------------------------------- */

static exit_code cannot_write(const known_file *f, const char *why) {
    print_error("%s: %s: cannot be written: %s", f->label, f->path, why);
    print_remedy("check that its folder exists and may be written, or use another file");
    return EXIT_RUNTIME;
}

static exit_code is_wrong_kind(const known_file *f, const char *found, const char *expected) {
    print_error("%s: %s: is %s, expected %s", f->label, f->path, found, expected);
    print_remedy("use another name");
    return EXIT_RUNTIME;
}

/* The bytes of a path without slashes at its end. */
static size_t trimmed_bytes(const char *path) {
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    return bytes;
}

/* A folder that the command will make. */
static bool will_be_made(const char *folder) {
    const size_t bytes = trimmed_bytes(folder);
    for (int i = 0; i < known_count; i++)
        if (known[i].role == FOLDER_WRITTEN && trimmed_bytes(known[i].path) == bytes &&
            strncmp(known[i].path, folder, bytes) == 0)
            return true;
    return false;
}

static exit_code check_folder_of(const known_file *f, const char *path) {
    char *const folder = strndup(path, (size_t)(base_of(path) - path));
    if (!folder) return out_of_memory();
    const char *const name = *folder ? folder : ".";
    const bool may_write =
        access(name, W_OK | X_OK) == 0 || (errno == ENOENT && will_be_made(name));
    if (!may_write) {
        print_error("%s: %s: the folder %s cannot be written: %s", f->label, f->path, name,
                    strerror(errno));
        print_remedy("create the folder, or use another file");
    }
    free(folder);
    return may_write ? EXIT_OK : EXIT_RUNTIME;
}

/* Cut a path to the first folder that exists, of those that it will be made in. */
static void cut_to_existing(char *path) {
    struct stat about;
    path[trimmed_bytes(path)] = '\0';
    while (stat(path, &about) != 0 && errno == ENOENT && strcmp(path, ".") != 0) {
        const size_t before = (size_t)(base_of(path) - path);
        path[before] = '\0';
        if (before == 0) strcpy(path, "."); /* it had a name, so there is room */
        path[trimmed_bytes(path)] = '\0';
    }
}

static exit_code check_folder(known_file *f) {
    struct stat about;
    char *const there = strdup(f->path);
    f->target = strndup(f->path, trimmed_bytes(f->path));
    if (!there || !f->target) {
        free(there);
        return out_of_memory();
    }
    exit_code code = EXIT_OK;
    if (f->role == FOLDER_WRITTEN) cut_to_existing(there);
    if (stat(there, &about) != 0)
        code = cannot_write(f, strerror(errno));
    else if (!S_ISDIR(about.st_mode))
        code = is_wrong_kind(f, "a file", "a folder");
    else if (access(there, W_OK | X_OK) != 0)
        code = cannot_write(f, strerror(errno));
    free(there);
    return code;
}

/* A name that is too long has too long a temporary one, too. */
static exit_code check_names(known_file *f) {
    struct stat about;
    const int failure = spc_link_target(f->path, &f->target);
    if (failure) return cannot_write(f, spc_failure_text(failure));
    if (!f->temporary) f->temporary = spc_temporary_name(f->target, 0);
    if (!f->temporary) return out_of_memory();
    if (lstat(f->temporary, &about) != 0 && errno == ENAMETOOLONG)
        return cannot_write(f, strerror(ENAMETOOLONG));
    return check_folder_of(f, f->target);
}

static exit_code check_output(known_file *f) {
    struct stat about;
    const bool exists = stat(f->path, &about) == 0;
    const int descriptor = spc_named_descriptor(f->path);
    if (is_folder(f)) return check_folder(f);
    if (descriptor >= 0 && fcntl(descriptor, F_GETFL) < 0) return cannot_write(f, strerror(errno));
    if (descriptor >= 0 && f->role != FILE_WRITTEN)
        return is_wrong_kind(f, "an open file", "the name of a file");
    if (descriptor >= 0) return EXIT_OK;
    if (exists && S_ISDIR(about.st_mode)) return is_wrong_kind(f, "a folder", "a file");
    if (exists && !S_ISREG(about.st_mode))
        return f->role == FILE_WRITTEN ? EXIT_OK : is_wrong_kind(f, "not a regular file", "a file");
    if (exists && access(f->path, W_OK) != 0) return cannot_write(f, strerror(errno));
    return check_names(f);
}

/* ---- taking them ---------------------------------------------------------------------------- */

static exit_code make_room(void) {
    if (known_count < known_capacity) return EXIT_OK;
    const int capacity = 2 * known_capacity + 16;
    known_file *const more = realloc(known, (size_t)capacity * sizeof *more);
    if (!more) return out_of_memory();
    known = more;
    known_capacity = capacity;
    return EXIT_OK;
}

static exit_code add(const char *label, const char *path, file_role role) {
    if (make_room() != EXIT_OK) return EXIT_MEMORY;
    known_file *const f = &known[known_count];
    *f = (known_file){.role = role, .path = strdup(path)};
    if (!f->path) return out_of_memory();
    snprintf(f->label, sizeof f->label, "%s", label);
    f->is_stream = role == FILE_READ ? strcmp(path, "-") == 0 : is_standard_output(path);
    known_count++;
    exit_code code = EXIT_OK;
    if (is_output(f) && !f->is_stream) code = check_output(f);
    if (code == EXIT_OK) identify(&known[known_count - 1]);
    return code;
}

/* A checkpoint has the one before it beside it. */
static exit_code add_previous(const char *label, const char *path) {
    char text[LABEL_BYTES];
    const size_t bytes = strlen(path) + sizeof ".previous";
    char *const previous = malloc(bytes);
    if (!previous) return out_of_memory();
    snprintf(previous, bytes, "%s.previous", path);
    snprintf(text, sizeof text, "%s (FILE.previous)", label);
    const exit_code code = add(text, previous, FILE_KEPT);
    free(previous);
    return code;
}

exit_code files_add(const char *label, const char *path, file_role role, bool to_stdout) {
    const bool is_folder_role = role == FOLDER_WRITTEN || role == FOLDER_USED;
    if (!*path)
        return usage_error("%s: expected the name of a %s, found an empty one", label,
                           is_folder_role ? "folder" : "file");
    if (role == FILE_READ) return add(label, path, role);
    if (is_standard_output(path) && !to_stdout)
        return usage_error("%s: expected the name of a %s, found %s: standard output is for what "
                           "the command prints",
                           label, is_folder_role ? "folder" : "file", path);
    const exit_code code = add(label, path, role);
    if (code != EXIT_OK || role != FILE_KEPT) return code;
    return add_previous(label, known[known_count - 1].target);
}

static exit_code take_option(const tool_option *option) {
    char label[LABEL_BYTES];
    const char *const path = option->file ? *(const char *const *)option->value : NULL;
    if (!path) return EXIT_OK;
    if (option->letter)
        snprintf(label, sizeof label, "-%c", option->letter);
    else
        snprintf(label, sizeof label, "--%s", option->name);
    return files_add(label, path, option->file, option->to_stdout);
}

/* The word of the usage line for operand i: the last one is for all that follow. */
static void name_operand(char label[LABEL_BYTES], const tool_command *command, int i) {
    const char *at = command->operands, *word = at;
    for (int k = 0; k <= i && *at >= 'A' && *at <= 'Z'; k++) {
        word = at;
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    snprintf(label, LABEL_BYTES, "%.*s", (int)strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), word);
}

static exit_code take_operand(const tool_command *command, int i, const char *path) {
    char label[LABEL_BYTES];
    const int inputs = command->operand_inputs, outputs = command->operand_outputs;
    if (command->operand_word || (inputs > 0 && i >= inputs + outputs)) return EXIT_OK;
    name_operand(label, command, i);
    return files_add(label, path, inputs > 0 && i >= inputs ? FILE_WRITTEN : FILE_READ, true);
}

/* Where the shell has redirected it to a file. */
static exit_code take_standard_output(void) {
    const exit_code code = add("standard output", "-", FILE_WRITTEN);
    if (code == EXIT_OK) known[known_count - 1].is_implied = true;
    return code;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static exit_code compare(const known_file *a, const known_file *b) {
    if (!are_same(a, b)) return EXIT_OK;
    if (a->is_stream && b->is_stream)
        return usage_error("%s and %s are both standard %s", a->label, b->label,
                           is_output(a) ? "output" : "input");
    return usage_error("%s and %s are the same file, which would be %s: %s", a->label, b->label,
                       is_output(a) && is_output(b) ? "written twice" : "replaced",
                       a->is_stream ? b->path : a->path);
}

exit_code files_check(void) {
    exit_code code = EXIT_OK;
    for (int i = 0; i < known_count; i++)
        for (int k = i + 1; k < known_count && code == EXIT_OK; k++)
            if (is_output(&known[i]) || is_output(&known[k]) ||
                (known[i].is_stream && known[k].is_stream))
                code = compare(&known[i], &known[k]);
    return code;
}

static void describe_interrupt(void) {
    int count = 0;
    result = NULL;
    for (int i = 0; i < known_count; i++) {
        if (!known[i].temporary || (count > 0 && known[i].role != FILE_SAVED)) continue;
        result = &known[i];
        count++;
    }
    if (!result) return;
    snprintf(interrupted, sizeof interrupted, "interrupted; %s was not written", result->path);
    snprintf(interrupted_late, sizeof interrupted_late, "interrupted; %s was written before that",
             result->path);
}

exit_code files_of_command(const tool_command *command, int operand_count,
                           const char *const *operands) {
    exit_code code = EXIT_OK;
    for (int i = 0; i < operand_count && code == EXIT_OK; i++)
        code = take_operand(command, i, operands[i]);
    for (const tool_option *o = command->options; o->name && code == EXIT_OK; o++)
        code = take_option(o);
    if (code == EXIT_OK && command->files) code = command->files(operand_count, operands);
    if (code == EXIT_OK) code = take_standard_output();
    if (code == EXIT_OK) code = files_check();
    describe_interrupt();
    return code;
}

void files_free(void) {
    for (int i = 0; i < known_count; i++) {
        free(known[i].path);
        free(known[i].target);
        free(known[i].temporary);
    }
    free(known);
    known = NULL;
    result = NULL;
    interrupted[0] = 0;
    known_count = known_capacity = 0;
}

/* ---- interrupts ----------------------------------------------------------------------------- */

/* True if another file than at the beginning has its name: the new one is complete. */
static bool is_written(const known_file *f) {
    struct stat now;
    return f->target && stat(f->target, &now) == 0 && S_ISREG(now.st_mode) &&
           !(f->exists && now.st_ino == f->inode && now.st_dev == f->device);
}

const char *files_interrupted(void) {
    if (!*interrupted) return "interrupted";
    return result && is_written(result) ? interrupted_late : interrupted;
}

/* True if this process has the file open: it is not one of another process. */
static bool is_open(const struct stat *file) {
    struct stat about;
    for (int i = 0; i < OPEN_FILES; i++)
        if (fstat(i, &about) == 0 && about.st_ino == file->st_ino && about.st_dev == file->st_dev)
            return true;
    return false;
}

void files_remove_temporaries(void) {
    struct stat about;
    for (int i = 0; i < known_count; i++) {
        char *const name = known[i].temporary;
        char *const digit = name ? strrchr(name, '.') - 1 : NULL;
        for (int k = 0; digit && k < SPC_TEMPORARIES; k++) {
            *digit = (char)('0' + k);
            if (lstat(name, &about) == 0 && is_open(&about)) unlink(name);
        }
    }
}
