/* predictor.h: a model on a device, for predictions on rows in the caller's memory, call after call
 * (libsparcl-train). */
#ifndef SPARCL_PREDICTOR_H
#define SPARCL_PREDICTOR_H

#include "sparcl/context.h"
#include "sparcl/data.h"
#include "sparcl/model.h"
#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A model whose parameters and graph are on a device. Owned; it belongs to its context, and one
 * thread at a time may use both. */
typedef struct sparcl_predictor sparcl_predictor;

/**
 * Rows in host memory, as CSR arrays. They need not begin at 0: rows 5 to 8 of a larger matrix are
 * offsets + 5 with its indices and values.
 */
typedef struct sparcl_csr_arrays {
    int64_t rows;             /**< at least 0 */
    sparcl_itype offset_type; /**< of `offsets` */
    const void *offsets;      /**< [rows + 1], ascending: row i is entries offsets[i] to
                                 offsets[i + 1] - 1 of `indices` and `values`. NULL without rows */
    sparcl_itype index_type;  /**< of `indices` */
    const void *indices;      /**< columns from 0, ascending and each once in a row, below those of
                                 the model. NULL without entries */
    const float *values;      /**< finite. NULL without entries */
    const int32_t *fields;    /**< of the entries, below those of the model, where it reads fields
                                 (ffm); else not read */
    int is_trusted;           /**< not 0: all of this is known, and the arrays are not checked */
    uint64_t reserved[2];     /**< 0 */
} sparcl_csr_arrays;

/**
 * Copy the parameters of a model to the device, and build its graph, once for all predictions. The
 * model must stay until the predictor is freed.
 *
 * Memory    of the device: the parameters; then the values of a slice of the rows, as many as keep
 *           the values of the graph within 64 MiB, and at most 2^18 entries (or one row).
 * Host      waits for the device.
 * Errors    E_ARG: NULL, or a model that ranks items or reads a graph between rows; the message
 *           says what to call instead. E_FORMAT: a parameter has another shape than the
 *           architecture gives it. E_MEMORY; errors of the core. *predictor is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_open(sparcl_ctx *ctx,
                                                             sparcl_predictor **predictor,
                                                             const sparcl_model *model,
                                                             sparcl_error *error);
/** Free a predictor, before its context is closed. NULL is allowed. */
SPARCL_API void sparcl_predictor_free(sparcl_predictor *predictor);

/**
 * Apply the model to rows: label[i] and p[i] are those of sparcl_predict, bit for bit; scores
 * [rows, outputs] are what the forward function computes before them. Each of the three may be
 * NULL. A model that reconstructs rows has no labels: only scores, [rows, columns].
 *
 * Where the device shares memory with the host, indices, values and fields are read in place, and
 * so are offsets that begin at 0, where all rows are one slice; nothing is copied to the device.
 * Else each slice is copied once. Results are copied to the host: 8 bytes for label and p of a row,
 * 4 for a score. Rows in host memory must not change during the call.
 *
 * Host      waits for the device.
 * Errors    E_ARG: NULL, rows is negative, an unknown type, an array is missing, or label and p of
 *           a model that reconstructs rows; E_FORMAT: offsets that descend, a column or field out
 * of range, a column out of order, a value that is NaN or infinite; the message names the row.
 * E_MEMORY; errors of the core. Results are then unspecified; the predictor can be used again.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_predict(sparcl_predictor *predictor,
                                                                const sparcl_csr_arrays *rows,
                                                                double *label, float *p,
                                                                float *scores, sparcl_error *error);

/**
 * As sparcl_model_predict, for a data set in memory, such as a part of a file
 * (sparcl/data_stream.h); its labels are ignored.
 *
 * Errors    E_ARG: NULL, or streamed data; E_FORMAT: more columns than the model has, another index
 *           base, no fields where it reads them, values that are NaN or infinite; the message
 *           begins with the position in the file. Otherwise as sparcl_model_predict.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_predict_data(sparcl_predictor *predictor,
                                                                     const sparcl_data *data,
                                                                     double *label, float *p,
                                                                     float *scores,
                                                                     sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
