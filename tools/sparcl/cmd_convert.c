/* cmd_convert.c: sparcl convert: reads a data file and writes it in another format. */
#include "data_output.h"
#include "message.h"

static struct {
    input_options input;
    int to;
    const char *output, *labels_to;
} given = {.to = TO_BY_NAME};

extern const tool_command command_convert;

/* As train: what is written would not say that the label was guessed. */
static exit_code check_label(const sparcl_data *data, const char *path) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    if (!info->label_guessed || !info->heading || given.input.labels) return EXIT_OK;
    print_error("%s: expected a column with the label, found no name that labels usually have "
                "(label, target, y, click, clicked, is_click, class)",
                path);
    print_remedy("name it by --label NAME, also if it is the first one");
    return EXIT_CONTRACT;
}

static exit_code run(int operand_count, const char *const *operands) {
    const char *const out = operand_count == 2 ? operands[1] : given.output;
    sparcl_data *data = NULL;
    if (!out) return usage_error("expected OUT, or -o OUT");
    if (operand_count == 2 && given.output)
        return usage_error("OUT and -o are both given, expected one");
    given.input.csv_fields = writes_fields(out, given.to);
    exit_code code = read_input(operands[0], &given.input, &data);
    if (code == EXIT_OK) code = check_label(data, operands[0]);
    if (code == EXIT_OK)
        code = write_data_and_labels(data, &given.input, out, given.to, given.labels_to);
    sparcl_data_free(data);
    return code;
}

/* ---- the table of the command --------------------------------------------------------------- */

static const char *const examples[] = {
    "the binary form, which is read without parsing",
    "sparcl convert train.svm.gz train.sparcl",
    "features and labels of an archive as LIBSVM text",
    "sparcl convert cora.npz:attr cora.svm --labels cora.npz:labels",
    "for scipy.sparse.load_npz; the member 'labels' has the labels",
    "sparcl convert train.svm train.npz",
    "Matrix Market, and the labels as an array",
    "sparcl convert train.svm train.mtx --labels-to labels.npy",
    NULL,
};

static const tool_option options[] = {
    OPTION_OUTPUT(given.output, "OUT", "the same as the operand OUT"),
    OPTION_TO(given.to),
    {.name = "labels-to",
     .type = OPTION_TEXT,
     .value = &given.labels_to,
     .argument = "FILE",
     .file = FILE_WRITTEN,
     .to_stdout = true,
     .help = "also write the labels, as a NumPy array (.npy) for --labels"},
    OPTIONS_OF_INPUT(given.input),
    {0},
};

const tool_command command_convert = {
    .name = "convert",
    .summary = "write a data file in another format",
    .operands = "IN OUT [options]",
    .operands_min = 1,
    .operands_max = 2,
    .operand_inputs = 1,
    .operand_outputs = 1,
    .examples = examples,
    .options = options,
    .notes =
        "OUT is complete or not there; - is standard output. What the format cannot hold, such as\n"
        "weights in LIBSVM text, is refused. The binary form holds all but how columns were made\n"
        "of those of CSV, or of crosses, which a note says. LIBSVM and libFFM text counts from 0\n"
        "where its source is such text that does, else from 1.",
    .run = run,
};
