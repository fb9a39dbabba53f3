/* data_read.h: reads data files into host memory, and says what is wrong with them (data.h has the
 * rest). */
#ifndef SPARCL_DATA_READ_H
#define SPARCL_DATA_READ_H

#include "sparcl/status.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A data set in host memory: a sparse matrix in CSR format and one label per row. Owned. */
typedef struct sparcl_data sparcl_data;

/** The index of the first feature in a text file. */
typedef enum sparcl_index_base {
    SPARCL_BASE_AUTO = 0, /**< 0 when any index is 0, else 1 */
    SPARCL_BASE_0 = 1,
    SPARCL_BASE_1 = 2
} sparcl_index_base;

/** The format of a file. */
typedef enum sparcl_data_format {
    SPARCL_DATA_AUTO = 0, /**< detected from the content; CSV, for text that may be, where
                               csv_columns, csv_label, csv_heading or csv_delimiter is given */
    SPARCL_DATA_SVMLIGHT = 1,
    SPARCL_DATA_NPZ = 2,
    SPARCL_DATA_ARRAY = 3, /**< .npy, or IDX */
    SPARCL_DATA_MTX = 4,   /**< Matrix Market */
    SPARCL_DATA_LIBFFM = 5,
    SPARCL_DATA_INDICES =
        6,              /**< "label index index ...": LIBSVM text without values, which are 1 */
    SPARCL_DATA_VW = 7, /**< Vowpal Wabbit text */
    SPARCL_DATA_EDGES = 8,
    SPARCL_DATA_RATINGS = 9,
    SPARCL_DATA_ADJACENCY = 10,
    SPARCL_DATA_SMTX = 11,
    SPARCL_DATA_SPARCL = 12, /**< the binary form of sparcl_data_save */
    SPARCL_DATA_CSV = 13     /**< fields between delimiters, also TSV */
} sparcl_data_format;

/** Whether columns of counts over orders of magnitude become logarithms, where nothing describes
 * the columns of a CSV file: the kind "log" is then guessed for numbers of which the first 256 KiB
 * have none below 0, some from 20 on, and those that are not 0 a standard deviation above twice
 * their mean. */
typedef enum sparcl_csv_logs {
    SPARCL_CSV_LOGS_AUTO = 0, /**< with `csv_standardize` */
    SPARCL_CSV_LOGS_NO = 1,
    SPARCL_CSV_LOGS_YES = 2
} sparcl_csv_logs;

/** Whether the first record of a CSV file has the names of its columns. */
typedef enum sparcl_heading {
    SPARCL_HEADING_AUTO = 0, /**< it has when its fields are words, see sparcl_data_read */
    SPARCL_HEADING_YES = 1,
    SPARCL_HEADING_NO = 2 /**< columns are named by their numbers, from 1 */
} sparcl_heading;

/** The ids of users and items, or of the nodes of a graph: a column or a row has the number that
 * its id has here. Each is ascending, from 0; NULL: there are none. */
typedef struct sparcl_known_ids {
    const int64_t *users; /**< of ratings [user_count] */
    int64_t user_count;   /**< their number */
    const int64_t *items; /**< of ratings [item_count] */
    int64_t item_count;   /**< their number */
    const int64_t *nodes; /**< of edges after compact_ids [node_count] */
    int64_t node_count;   /**< their number */
} sparcl_known_ids;

/** The largest sparcl_data_desc.hash_bits. */
#define SPARCL_HASH_BITS_MAX 31

/** How far a file was read: `bytes` of its `size`, as it is stored; -1: the size is not known, as
 * of a pipe. */
typedef void (*sparcl_read_fn)(void *user, int64_t bytes, int64_t size);

/** The settings for reading a file. All zero is the default. */
typedef struct sparcl_data_desc {
    size_t size;         /**< 0 or sizeof(sparcl_data_desc): which fields there are */
    const char *labels;  /**< an array with one label per row, for files that have none: a .npy or
                              IDX file, or FILE.npz:MEMBER; NULL: none */
    const char *weights; /**< the same with one weight per row, at least 0; NULL: none */
    sparcl_data_format format; /**< of the file; that of the labels is detected */
    int64_t columns; /**< expected number of features; 0: that of the file. See `widen`. */
    sparcl_index_base index_base; /**< .npz and arrays always count from 0 */
    int strict;                   /**< refuse unsorted or duplicate indices; do not repair them */
    int multilabel;               /**< text: a row has any number of labels, "1,2" or none; without
                                       this, a row must have exactly one */
    int widen;                    /**< a file wider than `columns` increases the width and is not
                                       refused */
    int hash_bits; /**< svmlight, libffm, indices, npz, mtx: indices are ids, which are hashed to
                        2^hash_bits columns, at most SPARCL_HASH_BITS_MAX bits; 0: they are the
                        columns. vw, csv: the same of names; 0: those of `columns` where it is a
                        power of two, else 18. Other formats have columns of their own and refuse
                        it */
    double scale;  /**< values are multiplied by this number, finite and not 0, each product rounded
                        to f32; 0: they stay as they are */
    int symmetric; /**< edges: a pair of nodes is an edge in both directions */
    int compact_ids; /**< svmlight, libffm, indices, npz, mtx: indices are ids, and edges: number
                          the ids that occur from 0, in ascending order */
    const char *ids; /**< a map that sparcl_data_save_ids wrote: of edges and ratings as
                          `known_ids`, of others as `feature_ids`. NULL: none */
    const char *csv_columns; /**< CSV: a file that describes the columns; NULL: they are guessed */
    const char *csv_description; /**< CSV, without csv_columns: what such a file has, as of the
                                      training data (sparcl_data_csv_columns); other columns of the
                                      file are skipped. Other formats have no use for it */
    const char *csv_label; /**< CSV: the column of the label, by its name or its number, from 1; a
                                description of the columns must not say otherwise. NULL: that of
                                the description, or it is found by its name */
    sparcl_heading csv_heading; /**< CSV: whether the first record has names */
    char csv_delimiter; /**< CSV: a comma, semicolon, bar, tab, blank or colon; 0: of the first
                             four, the one that stands most often in the first line */
    int csv_fields;     /**< CSV: entries have fields, that of a column of features being its number
                             among them in the description, from 0 */
    int threads;        /**< 0: one per processor; at most 16 are used */
    const char *spill;  /**< a folder: arrays of 4 MiB and more are files in it (without a name, so
                             that nothing stays), which the system pages in and out: data may then be
                             larger than memory. `allocator` must be zero. NULL: in memory */
    int stream; /**< not 0: of text with a row in each line only what there is once for each row is
                     kept in memory: 8 bytes for the offset, 8 for each label, 4 for a weight.
                     Entries are read again from the file when rows are needed
                     (sparcl/data.h), while the device works; so the file may be larger than
                     memory, but must be a file and stay as it is. sparcl_train, sparcl_eval,
                     sparcl_predict and sparcl_encode accept such data; others refuse them */
    sparcl_allocator allocator; /**< called by one thread at a time, which is not always the
                                     caller's */
    const int64_t *feature_ids; /**< svmlight, libffm, indices, npz, mtx: the ids of the columns,
                                     ascending, as compact_ids has found them in another file
                                     (sparcl_data_column_ids); entries of other ids are left out,
                                     and counted as unknown_ids. NULL: indices are the columns */
    int64_t feature_id_count;   /**< their number */
    sparcl_known_ids known_ids; /**< ratings and edges: those of another file, such as the training
                                     data (sparcl_data_known_ids). Of a rating the entry of an id
                                     that is none of them is left out, an edge as a whole; both are
                                     counted as unknown_ids. `columns` does not limit users and
                                     items then. The binary form must have these ids; other formats
                                     have no use for them. All zero: ids are numbered */
    int csv_tfidf; /**< not 0: CSV: columns of text that nothing describes are of the kind tfidf,
                        not text */
    int csv_standardize; /**< not 0: CSV: columns of numbers whose description has no mean and scale
                              get those of the data: mean and standard deviation; or where more than
                              half of the numbers in the first 256 KiB are 0, the mean 0, and the
                              root of the mean square of the other numbers. A missing value is then
                              the mean. Not where data are read in parts */
    sparcl_csv_logs csv_logs; /**< CSV: see there */
    const char *row_tag; /**< CSV: the column, by its name or its number, from 1, whose texts are
                            kept as the tags of the rows (sparcl_data_row_tag), whatever it is
                              described as. vw: any text: the tags of the rows are kept. NULL: none.
                              Other formats, and `stream`, refuse it */
    const int64_t *named_columns; /**< vw, csv, and ids with hash_bits: hashed columns, ascending,
                                       whose names are kept for sparcl_data_column_name, but not
                                       where data are streamed or read in parts. NULL: of none */
    int64_t named_column_count;   /**< their number */
    sparcl_read_fn progress; /**< called while the file is read, each 4 MiB at least, by one thread
                                  at a time, which is not always the caller's; not for labels,
                                  weights and ids in other files; of a file that is mapped at its
                                  beginning, of streamed data the first time. NULL: no calls */
    void *progress_user;     /**< passed to `progress` */
    const char
        *crosses;      /**< csv: lines "A,B", each the names or numbers of two columns whose
                            products are features, too; or "all", of all columns but those of text.
                            vw: of two namespaces, or "all"; a name with a comma in double quotes.
                            See sparcl_data_read. Not beside csv_description, which has those of
                            its data. Without `columns` other formats refuse it. NULL: none */
    char csv_decimal;  /**< CSV: the decimal mark of columns of numbers, '.' or ','; the other one
                            may stand between thousands. Not of a csv_description. 0: found for each
                            column, and of csv_columns as these say */
    int labelled_only; /**< not 0: of text, rows without a label are left out and counted as
                            unlabelled_rows, where other rows have one; no effect beside `labels`,
                            `weights` and `multilabel` */
    int ratings; /**< not 0: text that is detected as CSV is read as ratings, unless csv_columns,
                      csv_label, csv_heading or csv_delimiter is given; `columns` does not limit the
                      words of csv_description: for what becomes pairs (sparcl_data_of_ratings) */
} sparcl_data_desc;

/** Properties of a file. */
typedef struct sparcl_data_info {
    const char *format;    /**< that of sparcl_data_format_name */
    int64_t rows, columns; /**< the shape */
    int64_t nnz;           /**< entries as stored in the file, before repair */
    int64_t entries;       /**< entries in memory: nnz - duplicates */
    int64_t duplicates; /**< duplicate indices inside a row; their values are added in file order,
                             as f32 */
    int64_t unsorted_rows; /**< rows with an index below its predecessor; they were sorted */
    int64_t nan_values, inf_values; /**< in memory; both are accepted, but a finite number outside
                                         the range of f32 is refused */
    int64_t row_nnz_min, row_nnz_median, row_nnz_max; /**< entries per row, in memory; the median is
                                                           the lower one; 0 without rows */
    int64_t min_index, max_index; /**< as written in the file, also ids; -1 without entries */
    int index_base;               /**< 0 or 1 */
    int has_labels;               /**< 0: no label was found or given */
    int64_t label_count;          /**< number of all labels; rows unless read as multilabel */
    int64_t narrowed_values; /**< numbers that were rounded: values and weights that float32 does
                                  not represent exactly; of text those with more digits than it
                                  holds, such as 16777217, and labels of which this is so for
                                  float64. 0.1 is not counted: it is written back as 0.1 */
    int float64_source;      /**< the values in the file are float64 (arrays) */
    int64_t fields;          /**< 1 + the largest field of an entry; 0 without fields */
    int hash_bits;           /**< columns are hashes of names, or of ids, of this many bits; 0: they
                                  are not */
    int64_t shared_columns;  /**< columns that more than one name or id has; of names with more than
                                  24 bits, and of npz and mtx, -1: not counted; of ids with more
                                  than 14 bits an estimate, by 2^14 of the columns; 0 without names
                                  and hashed ids */
    int64_t users, items;    /**< of ratings; else 0, also where they are words */
    int heading;             /**< 1: the first line was taken for a heading and skipped */
    int streamed;            /**< 1: entries are not in memory, and sparcl_data_indices, _values and
                                  _fields are NULL */
    int64_t missing_values;  /**< CSV: missing values of columns that are features */
    /** XXH3-64 of the shape, offsets, indices, values, labels, fields and weights in memory; does
     * not depend on how they were written or compressed, but streamed data have another
     * one than the same data in memory */
    uint64_t fingerprint;
    int64_t unknown_words; /**< CSV: those of them that are words which the dictionary of the column
                                does not have; only with `columns` in the description */
    int64_t label_words;   /**< CSV: the labels are words, this many: a label is the
                                number of its word in the description. Those of a file without a
                                description are in ascending order of their bytes; a word that the
                                columns of a model do not have is one more. 0: labels are numbers */
    int64_t unlabelled_rows; /**< rows without a label, where labels are in the file. With
                                  `labelled_only` they are not in `rows`; else no row has one, and
                                  without `columns` in the description, labels must be in all rows
                                  or in none */
    int64_t query_rows;      /**< LIBSVM text: rows with "qid:N", which is not used */
    int index_base_given;    /**< 1: the description had the index base; it was not found */
    int label_guessed;       /**< CSV: 1: the label is the first column, because nothing names one.
                                  Training refuses it where there is a heading, and where it is an
                                  id: whole numbers that all differ, or as many classes as rows */
    int64_t other_columns;   /**< CSV: columns of the file that csv_description does not have */
    int label_names;         /**< CSV: columns with a name that labels usually have, where neither
                                  `csv_columns` nor `csv_label` is given; of several the label is
                                  the one whose name comes first in the list of sparcl_data_read */
    int byte_order_mark;     /**< 1: text began with that of UTF-8, which was skipped */
    int hashed_ids;          /**< 1: it is ids that are hashed, not names */
    int64_t id_count;        /**< ids of sparcl_data_column_ids that are features; else 0 */
    int64_t unknown_ids;   /**< entries left out, as their ids are not in feature_ids, known_ids or
                                the map; they are not in `nnz` */
    int64_t negative_logs; /**< CSV: numbers below 0 in columns of the kind "log" */
    int64_t crosses;       /**< CSV: pairs of columns that are crossed; vw: pairs of namespaces, 0
                                where all are */
    int64_t cross_entries; /**< their entries, before equal columns were added */
    int64_t unlabelled_line; /**< the line of the first row without a label; 0: of none */
} sparcl_data_info;

/**
 * Read a data file: LIBSVM/svmlight text, a SciPy .npz matrix, a dense array, or text of other
 * kinds.
 *
 * Files compressed by gz, xz, bz2, zstd and lz4 are decompressed; "-" is standard input. A byte
 * order mark of UTF-8 at the beginning of text is skipped; UTF-16 and UTF-32 are refused, and files
 * of other programs, such as Parquet, Excel and JSON, with how to convert them. The
 * format is detected from the content. Numbers do not depend on the locale. In the result, the
 * indices of a row are ascending and unique.
 *
 * Text      one row per line, "label index:value ...", separated by blanks and tabs. "#" begins a
 *           comment; lines without a row are skipped. "qid:N" after the label is skipped and
 *           counted. Lines end in LF or CR LF; the last one need not. A row that begins with
 *           index:value has no label: all rows or none, but where `columns` is set, as for a model,
 *           or with `multilabel`. Lines of less than 2^28 bytes are read, longer ones may be
 *           refused.
 * libffm    text as above with entries field:index:value. Detected when the first entry of the file
 *           has two colons. Entries may stand in any order; a duplicate index keeps the field of
 *           the first.
 * indices   text as above whose entries may be an index alone, which has the value 1. Only when
 *           `format` names it.
 * ids       Of svmlight, libffm and indices, indices may be ids of up to 63 bits: numbers that
 *           stand for features, such as hashes, of which there are far fewer than the largest says.
 *           With hash_bits the column of an id is its hash modulo 2^hash_bits: fmix64 of
 *           MurmurHash3, which is x = (x ^ x >> 33) * 0xff51afd7ed558ccd, then x = (x ^ x >> 33) *
 *           0xc4ceb9fe1a85ec53, then x ^ x >> 33, modulo 2^64. Entries with equal columns in a row
 *           are added in the order of the text and counted as duplicates; a field stays as it is,
 *           that of the first. With compact_ids, or feature_ids, the column is the number of the
 *           id. In both cases ids are taken as they stand in the file: columns count from 0
 *           whether ids do or not, and SPARCL_BASE_1 is refused. The columns of npz and mtx,
 *           counted from 0, may be ids, too, where they are more than what ids become.
 *           sparcl_data_export writes into such files how ids became their columns: these are read
 *           with the same hash_bits or feature_ids, and refused with others; without any, the
 *           hash_bits are those of the file.
 * vw        Vowpal Wabbit text, "label [importance] ['tag] |namespace[:weight] name[:value] ...".
 *           Detected when the first row with a "|" or a colon has a "|". The column of a name is
 *           its hash modulo 2^hash_bits, as --hash strings computes it; no constant is added.
 *           Entries of value 0 are left out, those with equal columns in a row added. An initial
 *           prediction other than 0 is refused. All rows may be without a label, and with `columns`
 *           any; then no row has one.
 * npz       a csr, csc, coo, bsr or dia matrix of save_npz, with bool, integer or float values and
 *           int32 or int64 indices. Entries that coo, csc, bsr or dia name twice are added in the
 *           order in which they stand, and counted as duplicates; the zeros that fill up blocks and
 *           diagonals are no entries. "FILE.npz:NAME" is the matrix of the members NAME_indptr.npy,
 *           NAME_indices.npy, NAME_data.npy and NAME_shape.npy, or the array NAME.npy.
 * Arrays    .npy or IDX, of at least two dimensions: the first counts rows, the others columns.
 *           Zeros are no entries.
 * mtx       Matrix Market: coordinate or array; real, integer or pattern (values 1); general,
 *           symmetric or skew-symmetric, of which both triangles are in the result and in `nnz`.
 *           Comments ("%") and blank lines may stand anywhere. An entry that stands twice is a
 *           duplicate, also in the other triangle. Refused are a value outside an integer type that
 *           a line "%%GraphBLAS type int8_t" names, and another than 0 on the diagonal of a
 *           skew-symmetric matrix. Zeros of an array are no entries, those of coordinates are.
 *           Without the banner, `format` must name the format.
 * csv       records of fields (RFC 4180): a field in double quotes may have delimiters, line ends
 *           and doubled quotes in it; in other fields, and where text follows the closing quote,
 *           quotes are characters; blank lines are skipped. `csv_columns` names a file with a line
 *           NAME,KIND for each column, in the same form, whose order is that of the matrix: "label"
 *           (a number, or "label,WORD,WORD,...": 0, 1, ...), "weight", "skip", "numeric", "log"
 *           (log(1 + |x|) with the sign of x), "numeric,MEAN,SCALE" and "log,MEAN,SCALE" (minus
 *           MEAN, divided by SCALE; see `csv_standardize`), "buckets,BOUND,..." (1 in the column of
 *           the number of bounds that are not above x), "hashed" (1 in the column that vw gives
 *           VALUE in the namespace NAME; these columns come first), "text" or "text,N" (of words
 *           and sequences of up to N words, 2 or 1 to 3, how often each is there, in the column of
 *           its hash, divided by the root of the sum of the squares; a word is two or more bytes:
 *           ASCII letters, in lower case, digits, "_", other characters), "tfidf" or "tfidf,N" (the
 *           same, each count times log((1 + R) / (1 + n)) + 1 for what is in n of R rows, as
 *           scikit-learn's TfidfVectorizer has it; "tfidf,N,R,COLUMN:n,..." has these numbers of
 *           the training data, and other columns the n 1; without them a file is read twice, and
 *           standard input refused), "cross,A,B" (of two other columns: see below),
 *           "dictionary,WORD,..." (1 in the column of the word; without words they are those of the
 *           file as they come, which data read with `columns` must not do). "*,KIND" is for all
 *           columns that have no line, which "*,auto" takes as without `csv_columns`. Labels and
 *           weights may be missing in the file. An empty field is no entry, and counted as missing;
 *           in columns of numbers also NA, N/A, nan, null, none, "?", "-", "--", ".", k.A. and
 *           errors of spreadsheets (#N/A, #DIV/0!), and with `columns` words that a dictionary does
 *           not have. A zero is no entry either, but where a MEAN is not 0. `csv_label` names the
 *           label. Kinds of numbers (label, weight, numeric, log, buckets) may have a form, as
 *           "numeric:comma:coerce:unit=EUR": "comma" is a decimal comma, with points between
 *           thousands, "point" the other way, "unit" what stands before or after each number, with
 *           or without a blank, and "(12)" is -12 with any of them; with "coerce" other values are
 *           missing ones. Without `csv_columns` labels are words where any of the first 256 KiB is
 *           no number, numbered in the ascending order of their bytes. Without both it is the
 *           column "label", "target", "y", "click", "clicked", "is_click" or "class", in capital or
 *           small letters, else the first that has a name; without `csv_columns` others are numeric
 *           where all values of the first 256 KiB are numbers, or of 20 and more 95 %, or half and
 *           the others are one word beside more than 20 different values (with "coerce"); else
 *           hashed, and text where they have four words or more on average. Numbers may have a
 *           unit: "%", "$" or characters beyond ASCII, three capital letters and a blank before
 *           them, or a blank and a word after them. They are as most values can be read. Marks that
 *           can be read in two ways are those of the columns with one reading, or of `csv_decimal`;
 *           else a comma stands between thousands, but where the delimiter is a semicolon, and a
 *           point is a decimal one. Skipped are those without a name, called "Unnamed: 0" by their
 *           number, and ids of rows: more than 20 whole numbers of which each is one more than the
 *           one before, and whole numbers beyond 2^53 that all differ there; such numbers that
 *           repeat are hashed. The first record is a heading when its fields are words, the first
 *           and the last one may be empty, or 0, 1, ... after an empty one, as pandas names
 *           columns, or when the second record has numbers under its words; it may lack the name of
 *           the first column, or of a last one that is empty. Lines before it that begin with "#"
 *           are comments, but where one has as many fields as the next, which is no heading over
 *           numbers. Where `csv_heading` is AUTO, up to 16 records before it are titles: each has
 *           one or two fields that are not empty, the first of them a word, or none, and the two
 *           records below the heading have at least twice as many fields, and under a word of it
 *           what has as many digits as letters, as numbers, amounts and dates have. In two columns
 *           a title has a blank in it. Where titles have no comma, three and more words between
 *           commas are a heading also of words alone. Detected by a heading, or by records of as
 *           many fields between commas, tabs or semicolons, without index:value. A record has less
 *           than 2^24 bytes. Blocks of records are read by several threads.
 * crosses   of csv and vw: for each row an entry for every pair of a feature of A and a feature of
 *           B, whose value is the product of their values; 0 is no entry. Its column is (hash of
 *           the one * 16777619) XOR (hash of the other), modulo 2^hash_bits, as Vowpal Wabbit has
 *           it for -q, with A first. The hash of a word of CSV is that of a hashed column, also of
 *           a dictionary; that of a number is the hash of the name of its column, and of a range
 *           that plus its number. A column of numbers may be crossed with itself: its squares.
 *           Texts cannot be crossed with each other. Numbers that are standardized have, where they
 *           are crossed, the mean and scale of the first 256 KiB. "all" of CSV has all pairs of
 *           columns, with the squares of numbers; of vw all pairs of the features of a row, the
 *           square of a feature only where its value is not 1; the order of two features is that of
 *           the hashes of their namespaces, then of their own. A pair of namespaces that no row
 *           has, without `columns`, is refused.
 * edges     "node node [weight]", one edge per line: a square matrix of the nodes; a weight that is
 *           not there is 1. Ids are whole numbers, and are the rows and columns, unless compact_ids
 *           numbers them. An edge that stands twice is a duplicate; with `symmetric`, a pair of
 *           nodes is one edge, however often and in which direction it stands, and its weights must
 *           be equal. Detected by the comment "# FromNodeId" of SNAP.
 * ratings   "user,item,rating[,time]": a row for each, whose label is the rating, with two entries
 *           of value 1: in the column of its user, and in that of its item, which come after the
 *           users. Ids are numbered in ascending order; those of other files only by `known_ids` or
 *           the map `ids`, of which one is therefore needed with `columns`. Without a rating the
 *           label is 1. Users and items may be words, between commas, semicolons or tabs, where one
 *           stands near the beginning, or with csv_description: they are then read as csv whose
 *           first two columns are dictionaries, and the third one the label; without a third there
 *           are no labels. With `csv_columns` they are csv that it describes: by two dictionaries,
 *           also of numbers, and a label. A heading that has known names of users and of items,
 *           such as userId and movie_id, says in which fields these are, and ratings (rating,
 *           stars, score; else the next field behind both that is no timestamp); fields are then
 *           as many as names, and others are not used. Detected by "::" between fields, or by a
 *           heading with "user" and "rating"; with `ratings` also in place of CSV.
 * adjacency "row column column ...": entries of value 1. Only when `format` names it.
 * smtx      "rows, columns, entries", the row offsets, the column indices: values are 1. Fields of
 *           edges and ratings are separated by blanks, a comma, a semicolon or "::". Lines that
 *           begin with "#" or "%" are comments; a first line of letters without digits is a
 *           heading.
 * sparcl    what sparcl_data_save wrote.
 * Memory    while a file is read, at most 48 bytes for each of its bytes, decompressed, 24 for
 *           each entry of crosses, and 8 MiB for each thread; beside them 8 * 2^hash_bits bytes
 *           where names are hashed (of ids at most 128 KiB), and 8 bytes
 *           for each row that a header or an id declares. Edges, adjacency lists, an mtx, coo, bsr
 *           or dia matrix have at most 2^25 rows, or 64 for each stored value where that is more.
 * Numbers   decimal, correctly rounded to float (labels: to double), or nan, inf, infinity, in
 *           upper or lower case; labels must be finite.
 * Width     the largest index (counted from 0) plus one, or the columns of the .npz shape; or
 *           `columns` of the description where that is larger.
 * Result    the same for every number of threads.
 * Errors    E_ARG: the description is invalid. E_IO: the file cannot be opened or read. E_FORMAT:
 *           its contents are invalid; the message is "file:line:column: expected ..., found ...;
 *           how to fix it", for .npz "file:member[element]: ...", for arrays "file[element]: ...",
 *           lines and columns from 1, in bytes. E_MEMORY. On any error *data is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_read(sparcl_data **data, const char *path,
                                                            const sparcl_data_desc *desc,
                                                            sparcl_error *error);

/** The name of a format, such as "svmlight"; "unknown" for any other number. */
SPARCL_API const char *sparcl_data_format_name(sparcl_data_format format);

/** What sparcl_data_validate reports, and what it found. */
typedef struct sparcl_validation {
    /** Called for everything that is wrong, with "file:line:column: expected ..., found ...; how to
     * fix it"; NULL: it is only counted. */
    void (*problem)(void *user, const char *message);
    void *user;              /**< for `problem` */
    const char *fixed;       /**< write a file without what is wrong; NULL: none */
    const char *format;      /**< result: that of sparcl_data_format_name */
    int64_t rows;            /**< result: rows that can be read */
    int64_t bad_rows;        /**< result: rows that cannot; `fixed` does not have them */
    int64_t not_finite_rows; /**< result: other rows with nan or inf; `fixed` does not have them */
    int64_t unsorted_rows;   /**< result: rows that are sorted in `fixed` */
    int64_t duplicates;      /**< result: indices that are added to the one before in `fixed` */
    int unreadable; /**< result: 1: the file cannot be read to its end, and the numbers are of its
                         beginning */
    int64_t unlabelled_rows; /**< result: other rows without a label, where rows have one; `fixed`
                                  does not have them */
    sparcl_data_info
        *info; /**< becomes that of the rows that can be read, where the file can be
                    read to its end; NULL: not wanted. `fixed` has no byte order mark */
} sparcl_validation;

/**
 * Say all that is wrong with a file: of text with a row in each line (svmlight, libffm, indices,
 * vw, csv, edges, ratings) every row, of other formats the first thing. Problems come in the order
 * of the file, those of nan and inf after the others, then those of labels that are not there.
 * `strict` of the description is not used. In `fixed` good lines are as they were, also comments; a
 * row that was unsorted or has duplicates has its labels, and its entries as float32; edges stay as
 * often as they stand. It is complete or not there, and not compressed; the memory is that of its
 * text.
 *
 * Errors    E_ARG: a pointer is NULL, the path is "-", or `fixed` is requested of another format;
 *           E_IO; E_FORMAT: the file cannot be read, and `fixed` is requested; E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_validate(const char *path,
                                                                const sparcl_data_desc *desc,
                                                                sparcl_validation *result,
                                                                sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
