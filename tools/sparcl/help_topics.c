/* help_topics.c: the topics that several commands share, and the words of the overview. */
#include "data/formats/formats.h"
#include "exit_codes.h"
#include "help.h"
#include "model_kind.h"
#include "optimizer.h"

static const char device_text[] =
    "A device is chosen by --device, or by the environment variable SPARCL_DEVICE:\n\n"
    "  auto              the best GPU, else a CPU; this is the default\n"
    "  gpu, cpu          the first device of only that type\n"
    "  pocl              the first device of the platform \"Portable Computing Language\"\n"
    "  0:1               platform 0, device 1, as 'sparcl devices' numbers them\n"
    "  pci:01:00.0       by PCI address\n"
    "  anything else     a part of the name of a device, vendor or platform; with :N at the\n"
    "                    end, match N, counted from 0\n\n"
    "Of several selectors separated by commas, the first that matches is used:\n"
    "--device nvidia,gpu,cpu. When several devices match, the selected one is printed on\n"
    "standard error.\n";

#define FORMAT_HELP(NAME, word, found, flags, to, endings, help) help
static const char formats_text[] =
    "A data file is one of these; the format is found from its content, but --format must name\n"
    "those with *:\n\n" SPC_FORMATS(FORMAT_HELP);

static const char ids_text[] =
    "\n"
    "Edges and ratings are separated by blanks, commas, semicolons or ::, and a first line of\n"
    "letters without digits is a heading. Graphs of SNAP and ratings of MovieLens are recognized.\n"
    "Names in the heading of ratings say where users, items and ratings are, such as userId,\n"
    "customer; movie_id, product; rating, stars, score: rating,user,item is read like\n"
    "user,item,rating, and other columns are not used. Without such names they are the first\n"
    "columns. A note says which are taken, unless they are the usual ones.\n"
    "'sparcl inspect --save-ids FILE' writes the ids of features, users and items, or nodes.\n\n"
    "Indices of svmlight, libffm and indices may be ids of up to 63 bits, such as hashes:\n"
    "--hash-bits N makes the hash of an id its column, of 2^N (fmix64 of MurmurHash3, its low N\n"
    "bits; of libffm the index is hashed, the field stays); ids with the same hash are added, and\n"
    "columns that more than one id has are reported. --compact-ids numbers the ids that occur, in\n"
    "ascending order. Ids are taken as they stand, whatever the file counts from. A model keeps "
    "how\n"
    "ids became columns, for eval, predict and --start; entries of ids that it does not have are\n"
    "left out and counted. Columns of npz and mtx may be ids, too; 'sparcl convert' writes into\n"
    "such files how ids became their columns, so that a model reads only what was made for it.\n"
    "Other formats have columns of their own.\n\n"
    "Users and items of ratings, and nodes of edges with --compact-ids, are numbered in ascending\n"
    "order of their ids, of up to 63 bits. Those of ratings may be words, as in alice,matrix,5,\n"
    "with a column each, as of a CSV file with two dictionaries. A model keeps these too: a "
    "rating\n"
    "of a user that it does not have is one of its item alone, an edge of an unknown node is left\n"
    "out; both are counted. Models that rank items (bpr, lightgcn) take ratings for what users\n"
    "have, whatever their value, and read what may be CSV as ratings, user,item[,rating[,time]],\n"
    "unless --csv-columns describes two dictionaries: users, then items; --format ratings reads\n"
    "such a table for other models. predict prints users and items by their ids or words.\n\n";

static const char table_text[] =
    "What the columns of a CSV file are is in the file of --csv-columns, a line NAME,KIND each:\n\n"
    "  label               a number; label,no,yes: words that become 0, 1, ...\n"
    "  weight              of the row\n"
    "  skip                not used\n"
    "  numeric, log        the number x, or log(1 + |x|) with the sign of x\n"
    "  numeric,38.6,13.6   the same, standardized: minus 38.6, divided by 13.6\n"
    "  numeric:comma       numbers with a decimal comma, and points between thousands;\n"
    "                      numeric:point is \"1,200.50\", numeric:unit=EUR is \"12 EUR\",\n"
    "                      numeric:coerce makes other values missing ones. So do log and buckets,\n"
    "                      and without coerce label and weight; --csv-decimal is for all columns\n"
    "  buckets,18,65       one of the ranges below 18, 18 to below 65, and from 65 on\n"
    "  hashed              a word, hashed as in VW text; 2^18 columns, or --hash-bits\n"
    "  text,3              words and sequences of up to 3 words (default 2), hashed; a word is two "
    "or\n"
    "                      more letters, digits or _, in lower case (ASCII)\n"
    "  tfidf,3             the same, each times log((1 + N) / (1 + n)) + 1, for n of N rows\n"
    "  dictionary,a,b      one of these words, with a column each; without words: those of the "
    "file\n"
    "  cross,city,age      the products of the features of two other columns, hashed\n\n"
    "*,KIND is for all other columns; *,auto takes them as without the file. --label\n"
    "NAME|NUMBER names the column of the label, from 1.\n"
    "Without both it is label, target, y, click, clicked, is_click or class, else, where the file\n"
    "has no heading, the first; train refuses to guess between columns with other names.\n"
    "Other columns are numeric where all values in the first 256 KiB are numbers, or of 20 and\n"
    "more values 95 %, or half where the others are one word, such as unknown: others are then\n"
    "missing values. Else they are hashed, and text where they have four words between blanks\n"
    "or more on average. Numbers may have one unit (%, $, EUR, months), commas or points\n"
    "between thousands, and parentheses: (12) is -12. \"1,200\" is 1.2 where another column has\n"
    "decimal commas, or where none says it and the delimiter is a semicolon; else it is 1200.\n"
    "Notes name all of these, and words that all differ, such as names, which are of no use.\n"
    "Skipped are one without a name, as pandas and R write (the first of more fields than the\n"
    "heading has, where all of them differ), and ids of rows: more than 20 whole numbers that\n"
    "count up, or whole numbers beyond 2^53 that all differ; such numbers that repeat are\n"
    "hashed. A model keeps the description with all words: eval, predict and --start read other\n"
    "files with it, and --valid with that of the training file; other columns are skipped.\n"
    "'sparcl inspect --save-columns FILE' writes it. --label, --csv-columns, --csv-heading and\n"
    "--csv-delimiter make text CSV that looks like ratings or VW.\n\n";

static const char numbers_text[] =
    "train standardizes columns of numbers whose description has no mean and scale: to the mean 0\n"
    "and the standard deviation 1; one that is mostly 0 is only divided, by the root of the mean\n"
    "square of its other values. A missing value is then the mean. Without a description, numbers\n"
    "of at least 0 with a long tail, such as counts, become log: up to 20 and more, and those\n"
    "that are not 0 with a deviation above twice their mean. --csv-numbers standardized is "
    "without\n"
    "these logarithms, log only with them, and raw leaves numbers as they are, as other commands\n"
    "do; inspect takes log, so that it shows the kinds that train takes. --csv-text tfidf makes\n"
    "columns of text, where nothing describes them, tfidf; the file is then read twice.\n\n"
    "Empty fields are missing values and no entries; so are NA, N/A, nan, null, none, ?, -, --,\n"
    "a point, k.A. and errors of spreadsheets (#N/A, #DIV/0!) in columns of numbers, and with a\n"
    "model words that a dictionary lacks. They are counted for each column. The first record is a\n"
    "heading where its fields are words, or where numbers stand under its words; --csv-heading\n"
    "says it otherwise. Lines before it that begin with # are comments, and up to 16 lines with\n"
    "fewer fields are titles ('sparcl help csv'). A first line\n"
    "of words is a row where one of them stands below in its column.\n"
    "Where fields of entries are read (ffm, convert --to libffm), each column is one.\n\n";

static const char crosses_text[] =
    "--cross A,B crosses two columns, by their names or numbers, and may be repeated; --cross all\n"
    "crosses all columns but texts, with the squares of numbers. A model of crosses learns what "
    "two\n"
    "columns only say together. A word counts as 1, so that its cross with a number is the number\n"
    "where the word is. Columns of numbers that are crossed are standardized by the first 256 "
    "KiB;\n"
    "--cross x,x has the squares of x. More --hash-bits keep the many words apart.\n"
    "Of Vowpal Wabbit text it crosses namespaces, with all their features, as its -q does; all is\n"
    "its -q ::, and a name is written as it stands after |. A model keeps the crosses.\n\n";

static const char all_files_text[] =
    "Rows of text may have no label: nothing before the features, or an empty field of CSV. Where\n"
    "others have one, they are left out, counted, and the first is named; predict has all rows,\n"
    "and 'sparcl validate' names each. (Standard input is not read twice: only train and eval\n"
    "leave them out there.)\n\n"
    "Files without labels get them from an array with one number per row,\n"
    "by --labels: an .npy or IDX file, or FILE.npz:NAME; --weights gives weights of rows in the\n"
    "same way. Files compressed by gz, xz, bz2, zstd and lz4 are decompressed; - is standard\n"
    "input. A byte order mark of UTF-8 is skipped; UTF-16 and UTF-32 are refused. Of CSV, lines "
    "that\n"
    "are no UTF-8, such as Latin-1, are read as they are, and counted.\n\n"
    "Indices begin at 1, or at 0 when any index is 0; --index-base sets it. eval and predict\n"
    "use that of the model. Unsorted indices are sorted and duplicates added, and both are\n"
    "counted on standard error; --strict refuses them. 'sparcl inspect FILE' describes a file;\n"
    "'sparcl validate FILE' says all that is wrong with it, and --fix OUT writes what is right.\n\n"
    "'sparcl convert' writes it in another format, the binary form among them, which is read\n"
    "without parsing; 'sparcl split' and 'sparcl sample' write rows drawn at random.\n"
    "'sparcl inspect --strict' exits with 5 on unsorted or duplicate indices, nan and inf;\n"
    "'sparcl convert' writes the file with sorted indices and without duplicates.\n";

static const char model_text[] =
    "A model is a safetensors file: F32 tensors, of a linear model \"weight\" [columns, outputs]\n"
    "and \"bias\" [outputs], and metadata with everything that determines them: the kind of the\n"
    "model and its settings, loss, optimizer, hyper-parameters, passes, seed, the labels and a\n"
    "fingerprint of the data. Where the run had them, also solver (of L-BFGS, with l1 and\n"
    "tolerance), schedule (of the learning rate), settings (all of the optimizer, where some are\n"
    "not its defaults) and parameter_settings (of parameters with an optimizer of their own).\n"
    "Of data with ids, hash_bits of --hash-bits, or before the parameters the I64 tensor\n"
    "\"feature_ids\" of --compact-ids, the id of each column, or \"user_ids\" and \"item_ids\" of\n"
    "ratings, or \"node_ids\" of edges; of tables, also ratings of words, behind them the text\n"
    "\"csv_description\": eval and predict read files so.\n"
    "It contains no path and no device, so equal runs make equal files. 'sparcl show' describes "
    "it.\n"
    "In Python: safetensors.numpy.load_file(\"model.safetensors\")[\"weight\"].\n";

static const char environment_text[] =
    "  SPARCL_DEVICE     the device when --device is not given (sparcl help device)\n"
    "  SPARCL_CACHE_DIR  folder of compiled kernels (PoCL has its own), measurements and\n"
    "                    tunings; empty: no cache. Default:\n"
    "                    $XDG_CACHE_HOME/sparcl or ~/.cache/sparcl\n"
    "  POCL_CACHE_DIR    folder in which PoCL keeps its programs; without HOME and\n"
    "                    XDG_CACHE_HOME the tool sets it to pocl in SPARCL_CACHE_DIR, or to\n"
    "                    .cache/pocl/kcache in the home folder of the account\n"
    "  POCL_AFFINITY     0: do not bind PoCL's threads to CPUs. By default each thread is bound\n"
    "                    to a CPU of its own, if the process may use all CPUs\n"
    "  NO_COLOR          not empty: no colors\n"
    "  COLUMNS           width of the live line where the terminal does not report it\n\n"
    "For development:\n\n"
    "  SPARCL_KERNEL_DIR    read the kernels from this folder (cl/ of the sources), not from the\n"
    "                       library\n"
    "  SPARCL_KERNEL_CLASS  cpu or gpu: use the kernels of this class on any device\n";

static const char files_text[] =
    "The tool writes the files of options such as -o, --json and --svg. Each is complete or not\n"
    "there, keeps the mode of what it replaces, and replaces what a symbolic link leads to. None\n"
    "may be an input of the command or another of its outputs. - is standard output where a\n"
    "command prints nothing else. --json of any command prints JSON in place of tables; train and\n"
    "sweep also write it to a file: --json=FILE, or --json FILE. It also writes:\n\n"
    "  ~/.cache/sparcl   the compiled kernels, and measurements and tunings of devices;\n"
    "                    $XDG_CACHE_HOME/sparcl, or the folder SPARCL_CACHE_DIR. It may be\n"
    "                    deleted at any time; its files are created again when needed\n"
    "  FILE.sparcl-N.tmp the beginning of FILE, where the tool was killed; the next run that\n"
    "                    writes FILE removes it\n";

static void print_data(FILE *out) {
    fputs(formats_text, out);
    fputs(ids_text, out);
    fputs(all_files_text, out);
}

static void print_tables(FILE *out) {
    fputs(csv_text, out);
    fputs(table_text, out);
    fputs(numbers_text, out);
    fputs(crosses_text, out);
}

static void print_exit_codes(FILE *out) {
#define CODE_LINE(name, value, text) fprintf(out, "  %d  %s\n", value, text);
    EXIT_CODE_LIST(CODE_LINE)
#undef CODE_LINE
}

const help_topic topics[] = {
    {"device", "how to select a device", "devices", device_text, NULL},
    {"data", "the formats of data files", "data files", NULL, print_data},
    {"csv", "how a table (CSV) is read, and what its columns are", "tables", NULL, print_tables},
    {"model", "the contents of a model file", "model files", model_text, NULL},
    {"operations", "the operations of which models are made", "operations", NULL, print_operations},
    {"models", "the models of --model and their settings", "models", NULL, print_models},
    {"optimizers", "the rules of --optimizer and their settings", "optimizers", NULL,
     print_optimizers},
    {"environment", "the environment variables of the tool", "environment", environment_text, NULL},
    {"files", "the files that the tool writes", "files", files_text, NULL},
    {"exit-codes", "the meanings of the exit status", "exit status", NULL, print_exit_codes},
    {0},
};

const char overview_summary[] = "train models on sparse data on any OpenCL device";

const char *const overview_examples[] = {
    "which devices are usable, and which is the default?",
    "sparcl devices",
    "describe a data file",
    "sparcl inspect train.svm.gz",
    "train a model, with a file to check it with",
    "sparcl train train.svm.gz --valid test.svm.gz -o model.safetensors",
    "evaluate it on new data",
    "sparcl eval model.safetensors test.svm.gz",
    "the predictions",
    "sparcl predict model.safetensors new.svm > predictions.tsv",
    NULL,
};
