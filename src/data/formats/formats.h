/* formats.h: the table of data formats, of which the words of messages, help and completion, and
 * the lists of what reads, finds and writes them are made. The tool has it, too. */
#ifndef SPC_DATA_FORMATS_H
#define SPC_DATA_FORMATS_H

#include <string.h>

/* What a file of a format has, and what it can hold of a data set that is written. */
enum {
    SPC_HAS_LABELS = 1 << 0, /* a label in each row, and no other ones are read */
    SPC_HAS_LINES = 1 << 1,  /* text with a row in each line */
    SPC_HAS_PARTS = 1 << 2,  /* the same, which is read part by part */
    SPC_HAS_IDS = 1 << 3,    /* indices may be ids */
    SPC_HAS_NAMES = 1 << 4,  /* features have names */
    SPC_IS_MATRIX = 1 << 5,  /* columns from 0, and perhaps how ids became them */
    SPC_IS_BINARY = 1 << 6,
    SPC_KEEPS_LABELS = 1 << 7,
    SPC_KEEPS_SEVERAL = 1 << 8, /* labels of a row */
    SPC_KEEPS_WEIGHTS = 1 << 9,
    SPC_KEEPS_FIELDS = 1 << 10
};

/*
 * X(NAME, word, found, flags, to, endings, help) for each format SPARCL_DATA_NAME:
 *
 * word      of --format and messages. spc_word_read reads it (readers.h)
 * found     FOUND: spc_is_word finds it from the content (detect.h): the last row first, as what is
 *           most certain stands last. NAMED: by its name alone
 * to        the word of --to; spc_word_writing writes it (export.h)
 * endings   of files that are written so, separated by blanks
 * help      the lines of 'sparcl help data'
 */
#define SPC_WRITTEN_FORMATS(X)                                                                     \
    X(SVMLIGHT, svmlight, FOUND,                                                                   \
      SPC_HAS_LABELS | SPC_HAS_LINES | SPC_HAS_PARTS | SPC_HAS_IDS | SPC_KEEPS_LABELS |            \
          SPC_KEEPS_SEVERAL,                                                                       \
      "svmlight", ".svm .svmlight .libsvm",                                                        \
      "  svmlight   LIBSVM (svmlight) text, one row per line:\n"                                   \
      "             label index:value index:value ...        # a comment\n")                       \
    X(LIBFFM, libffm, FOUND,                                                                       \
      SPC_HAS_LABELS | SPC_HAS_LINES | SPC_HAS_PARTS | SPC_HAS_IDS | SPC_KEEPS_LABELS |            \
          SPC_KEEPS_SEVERAL | SPC_KEEPS_FIELDS,                                                    \
      "libffm", ".ffm .libffm", "  libffm     libFFM text: label field:index:value ...\n")         \
    X(VW, vw, FOUND,                                                                               \
      SPC_HAS_LABELS | SPC_HAS_LINES | SPC_HAS_PARTS | SPC_HAS_NAMES | SPC_KEEPS_LABELS |          \
          SPC_KEEPS_WEIGHTS,                                                                       \
      "vw", ".vw",                                                                                 \
      "  vw         Vowpal Wabbit text: label [importance] ['tag] |namespace name:value ...\n"     \
      "             Names are hashed as it does, to 2^18 columns or those of --hash-bits;\n"       \
      "             'sparcl inspect' counts the columns that more than one name has. Rows may "    \
      "have\n"                                                                                     \
      "             no label\n")                                                                   \
    X(CSV, csv, FOUND, SPC_HAS_LINES | SPC_HAS_PARTS | SPC_HAS_NAMES | SPC_KEEPS_LABELS, "csv",    \
      ".csv .tsv", "  csv        CSV or TSV, with or without a heading; see sparcl help csv\n")    \
    X(RATINGS, ratings, FOUND, SPC_HAS_LABELS | SPC_HAS_LINES | SPC_KEEPS_LABELS, "ratings",       \
      ".ratings",                                                                                  \
      "  ratings *  user,item,rating[,time]: a row for each, with an entry for its user and one "  \
      "for\n"                                                                                      \
      "             its item. A model keeps the ids of users and items, for other files\n")        \
    X(SMTX, smtx, FOUND, 0, "smtx", ".smtx",                                                       \
      "  smtx       the pattern of pruned weights: sizes, row offsets, column indices\n")          \
    X(EDGES, edges, FOUND, SPC_HAS_LINES, "edges", ".edges",                                       \
      "  edges *    node node [weight]: a graph. --compact-ids numbers the ids from 0,\n"          \
      "             --symmetric makes a pair of nodes an edge in both directions\n")               \
    X(ADJACENCY, adjacency, NAMED, 0, "adjacency", ".adjacency",                                   \
      "  adjacency* row column column ...: values are 1\n")                                        \
    X(MTX, mtx, FOUND, SPC_HAS_IDS | SPC_IS_MATRIX, "mtx", ".mtx",                                 \
      "  mtx        Matrix Market: coordinate or array; an entry that stands twice is added\n")    \
    X(ARRAY, array, FOUND, SPC_IS_BINARY, "npy", ".npy",                                           \
      "  array      a NumPy array (.npy) of rows and columns, or an IDX file; zeros are no "       \
      "entries\n")                                                                                 \
    X(NPZ, npz, FOUND, SPC_HAS_IDS | SPC_IS_MATRIX | SPC_IS_BINARY | SPC_KEEPS_LABELS, "npz",      \
      ".npz",                                                                                      \
      "  npz        a SciPy matrix (scipy.sparse.save_npz): csr, csc, coo, bsr or dia.\n"          \
      "             FILE.npz:NAME reads the members NAME_indptr, NAME_indices, NAME_data and\n"    \
      "             NAME_shape, or the array NAME\n")                                              \
    X(SPARCL, sparcl, FOUND,                                                                       \
      SPC_IS_BINARY | SPC_KEEPS_LABELS | SPC_KEEPS_SEVERAL | SPC_KEEPS_WEIGHTS | SPC_KEEPS_FIELDS, \
      "sparcl", ".sparcl", "  sparcl     what 'sparcl convert' wrote\n")
/* Those that are not written. */
#define SPC_OTHER_FORMATS(X)                                                                       \
    X(INDICES, indices, NAMED, SPC_HAS_LABELS | SPC_HAS_LINES | SPC_HAS_PARTS | SPC_HAS_IDS, "",   \
      "", "  indices *  label index index ...: LIBSVM text without values, which are 1\n")

#define SPC_FORMATS(X) SPC_WRITTEN_FORMATS(X) SPC_OTHER_FORMATS(X)

/* The flags of a format by its word; 0: it is none. */
static inline int spc_format_flags(const char *word) {
#define SPC_FLAGS_IF(NAME, own, found, flags, to, endings, help)                                   \
    if (strcmp(word, #own) == 0) return flags;
    SPC_FORMATS(SPC_FLAGS_IF)
#undef SPC_FLAGS_IF
    return 0;
}

/* Whether a file may count columns from 0 or from 1. */
static inline int spc_format_has_base(int flags) {
    return (flags & SPC_HAS_IDS) && !(flags & SPC_IS_MATRIX);
}

#endif
