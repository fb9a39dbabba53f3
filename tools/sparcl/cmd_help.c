/* cmd_help.c: sparcl help: the overview, a command's page, and topics that several commands share.
 */
#include <string.h>

#include "completion.h"
#include "help.h"
#include "man.h"
#include "nearest.h"
#include "options.h"
#include "output.h"

static struct { int man, completion; /* completion: a shell, or -1 */ } given = {.completion = -1};

static const char device_text[] =
    "A device is chosen by --device, or by the environment variable SPARCL_DEVICE:\n\n"
    "  auto              the best GPU, else a CPU; this is the default\n"
    "  gpu, cpu          the first device of just that type\n"
    "  pocl              the first device of the platform \"Portable Computing Language\"\n"
    "  0:1               platform 0, device 1, as 'sparcl devices' numbers them\n"
    "  pci:01:00.0       by PCI address\n"
    "  anything else     part of the name of a device, vendor or platform; with :N at the end,\n"
    "                    the N-th of those, from 0\n\n"
    "Several, separated by commas, are tried in turn: --device nvidia,gpu,cpu. When several "
    "devices\n"
    "fit, the one taken is named on standard error.\n";

static const char data_text[] =
    "Data files are LIBSVM (svmlight) text, a line a row:\n\n"
    "  label index:value index:value ...        # a comment\n\n"
    "or SciPy .npz files (scipy.sparse.save_npz) of a CSR matrix, with the labels in an .npy file\n"
    "that --labels names. gz, xz, bz2, zstd and lz4 are seen through; - is standard input.\n\n"
    "Indices begin at 1, or at 0 when some index is 0; --index-base says it outright. eval and\n"
    "predict take what the model was trained with. Unsorted and repeated indices are put in order\n"
    "and summed, and counted on standard error; --strict refuses them. 'sparcl inspect FILE' tells "
    "what is in a file.\n";

static const char model_text[] =
    "A model is a safetensors file: F32 tensors \"weight\" [columns, outputs] and \"bias\" "
    "[outputs],\n"
    "and metadata with what determines the weights: loss, optimizer, hyper-parameters, passes, "
    "seed,\n"
    "the labels and a fingerprint of the data. No path and no device is in it, so equal runs make\n"
    "equal files.\n"
    "In Python: safetensors.numpy.load_file(\"model.safetensors\")[\"weight\"].\n";

static const char environment_text[] =
    "  SPARCL_DEVICE     the device when --device is not given (sparcl help device)\n"
    "  SPARCL_CACHE_DIR  folder of the compiled kernels; empty: no cache. Without it,\n"
    "                    $XDG_CACHE_HOME/sparcl or ~/.cache/sparcl\n"
    "  POCL_AFFINITY     0: PoCL's threads may share a CPU; without it each gets one of its own,\n"
    "                    where the process may use all of them\n"
    "  NO_COLOR          not empty: no colors\n"
    "  COLUMNS           width of the live line where the terminal does not tell its own\n\n"
    "For development:\n\n"
    "  SPARCL_KERNEL_DIR    read the kernels from this folder (cl/ of the sources), not from the\n"
    "                       library\n"
    "  SPARCL_KERNEL_CLASS  cpu or gpu: kernels of this class, whatever the device is\n";

static const char files_text[] =
    "The tool writes the files that options such as -o, --json and --svg name, and:\n\n"
    "  ~/.cache/sparcl   the compiled kernels, and what was measured of devices and tuned for "
    "them;\n"
    "                    $XDG_CACHE_HOME/sparcl, or the folder that SPARCL_CACHE_DIR names. It "
    "may\n"
    "                    be deleted at any time; what is needed is made again\n";

const help_topic topics[] = {
    {"device", "how a device is chosen", "devices", device_text},
    {"data", "what data files may look like", "data files", data_text},
    {"model", "what is in a model file", "model files", model_text},
    {"environment", "the environment variables that the tool reads", "environment",
     environment_text},
    {"files", "the files that the tool keeps", "files", files_text},
    {"exit-codes", "what the exit status says", "exit status", NULL},
    {0},
};

const char overview_summary[] = "train models on sparse data on any OpenCL device";

const char *const overview_examples[] = {
    "which devices can be used, and which is taken?",
    "sparcl devices",
    "what is in a data file?",
    "sparcl inspect train.svm.gz",
    "train a model, evaluate it, and apply it",
    "sparcl train train.svm.gz --valid test.svm.gz --loss logistic -o model.safetensors",
    "on data that it has not seen",
    "sparcl eval model.safetensors test.svm.gz",
    "the predictions",
    "sparcl predict model.safetensors new.svm > predictions.tsv",
    NULL,
};

void print_overview(FILE *out) {
    fprintf(out, "sparcl: %s\n\nExamples:\n", overview_summary);
    for (const char *const *e = overview_examples; *e; e += 2)
        fprintf(out, "  %s\n", e[1]);
    fputs("\nCommands:\n", out);
    for (const tool_command *const *c = commands; *c; c++)
        fprintf(out, "  %-14s%s\n", (*c)->name, (*c)->summary);
    fputs("\nTopics, for sparcl help TOPIC:\n", out);
    for (const help_topic *t = topics; t->name; t++)
        fprintf(out, "  %-14s%s\n", t->name, t->summary);
    fputs("\nsparcl COMMAND --help tells all about a command.\n", out);
}

static void print_topic(const help_topic *topic) {
    static const struct {
        int code;
        const char *text;
    } codes[] = {
#define TOPIC_CODE(name, value, text) {value, text},
        EXIT_CODE_LIST(TOPIC_CODE)
#undef TOPIC_CODE
    };
    if (topic->text) fputs(topic->text, stdout);
    for (size_t i = 0; !topic->text && i < sizeof codes / sizeof *codes; i++)
        printf("  %d  %s\n", codes[i].code, codes[i].text);
}

extern const tool_command command_help;

static exit_code unknown_topic(const char *name) {
    nearest_word meant = {name, NULL, 0};
    for (const tool_command *const *c = commands; *c; c++)
        nearest_offer(&meant, (*c)->name);
    for (const help_topic *t = topics; t->name; t++)
        nearest_offer(&meant, t->name);
    if (meant.best)
        return usage_error(NULL, "there is no help on \"%s\"; did you mean %s?", name, meant.best);
    return usage_error(NULL, "there is no help on \"%s\"", name);
}

static const help_topic *find_topic(const char *name) {
    for (const help_topic *t = topics; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

static exit_code print_man(const char *name) {
    const tool_command *const command = name ? find_command(name) : NULL;
    if (name && !command)
        return usage_error(&command_help, "--man: expected a command, found \"%s\"", name);
    if (command)
        print_man_command(command, stdout);
    else
        print_man_overview(stdout);
    return flush_results();
}

static exit_code run(int operand_count, const char *const *operands) {
    const char *const name = operand_count > 0 ? operands[0] : NULL;
    if (given.man) return print_man(name);
    const tool_command *const command = name ? find_command(name) : NULL;
    const help_topic *const topic = name ? find_topic(name) : NULL;
    if (given.completion >= 0)
        print_completion((shell)given.completion, stdout);
    else if (!name)
        print_overview(stdout);
    else if (command)
        print_command_help(command, stdout);
    else if (topic)
        print_topic(topic);
    else
        return unknown_topic(name);
    return flush_results();
}

/* The commands, then the topics. */
static const char *operand_word(int index) {
    for (const tool_command *const *c = commands; *c; c++, index--)
        if (index == 0) return (*c)->name;
    return topics[index].name;
}

static const char *const examples[] = {
    "all about one command",
    "sparcl help train",
    "how a device is chosen",
    "sparcl help device",
    "the manual page of a command",
    "sparcl help train --man | man -l -",
    "completion in this bash, where it is not installed",
    "source <(sparcl help --completion bash)",
    NULL,
};

static const tool_option options[] = {
    {.name = "man",
     .type = OPTION_FLAG,
     .value = &given.man,
     .set = 1,
     .help = "print the source of the manual page of a command, or of the tool"},
    {.name = "completion",
     .type = OPTION_CHOICE,
     .value = &given.completion,
     .choices = SHELL_WORDS,
     .help = "print what completes command lines in this shell"},
    {0},
};

const tool_command command_help = {
    .name = "help",
    .summary = "explain a command or a topic",
    .operands = "[COMMAND|TOPIC] [--man] [--completion SHELL]",
    .operands_max = 1,
    .operand_word = operand_word,
    .examples = examples,
    .options = options,
    .run = run,
};
