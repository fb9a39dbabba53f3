/* build_all.c: the list of all kernel programs, and a call that builds them all. */
#include <string.h>

#include "base/memory.h"
#include "device/ctx_impl.h"
#include "program/program.h"
#include "sparcl/probe.h"

/* As in the calls of spc_launch; tests/program/test_program.c checks that none is missing. */
const char *const spc_programs[] = {
    "transfer",
    "probe",
    "traffic",
    "scan",
    "scan+segment",
    "scan+sort",
    "scan+bucket+bucket_split",
    "scan+bucket+bucket_order",
    "scan+bucket+bucket_columns",
    "scan+columns",
    "scan+columns+columns_sparse",
    "panel+products+scan+columns+columns_product",
    "panel+products+scatter_product",
    "scatter_chosen",
    "scan+reorder",
    "scan+coalesce",
    "scan+entries+convert",
    "scan+match",
    "scan+validate",
    "scan+entries+elements+entry_sums+to_dense",
    "scan+elements+words+fill_rows",
    "panel+elements+row_teams+clip_norm",
    "scan+entries+elements+from_dense",
    "scan+elements+entry_sums+bitmap+bsr",
    "scan+topk",
    "panel+products+partition+spmm+spmm_cores+spmm_lanes",
    "panel+products+partition+bsr_product",
    "panel+scan+spmm_t",
    "panel+stage+sum",
    "panel+words+select_rows",
    "scan+entries+batches",
    "elementary+loss",
    "panel+products+elementary+loss+product_loss",
    "elements+copy",
    "words+elements+move",
    "panel+scan+fold_sum+blocks+stage+reduce",
    "panel+scan+fold_sum+blocks+stage+segment_reduce",
    "panel+scan+fold_sum+blocks+segment_unsorted",
    "panel+scan+fold_square+blocks+stage+reduce",
    "panel+scan+fold_square+blocks+stage+segment_reduce",
    "panel+scan+fold_square+blocks+segment_unsorted",
    "panel+scan+fold_abs+blocks+stage+reduce",
    "panel+scan+fold_abs+blocks+stage+segment_reduce",
    "panel+scan+fold_abs+blocks+segment_unsorted",
    "panel+scan+fold_dot+blocks+stage+reduce",
    "panel+scan+fold_prod+blocks+stage+reduce",
    "panel+scan+fold_prod+blocks+stage+segment_reduce",
    "panel+scan+fold_prod+blocks+segment_unsorted",
    "panel+scan+fold_nonzero+blocks+stage+reduce",
    "panel+scan+fold_nonzero+blocks+stage+segment_reduce",
    "panel+scan+fold_zeros+blocks+stage+reduce",
    "panel+scan+fold_zeros+blocks+stage+segment_reduce",
    "panel+scan+fold_max+blocks+stage+reduce",
    "panel+scan+fold_max+blocks+stage+segment_reduce",
    "panel+scan+fold_max+blocks+segment_unsorted",
    "panel+scan+fold_min+blocks+stage+reduce",
    "panel+scan+fold_min+blocks+stage+segment_reduce",
    "panel+scan+fold_min+blocks+segment_unsorted",
    "panel+scan+blocks+elements+reduce_gradient",
    "panel+scan+entries+blocks+stage+elementary+softmax",
    "panel+scan+blocks+elementary+softmax_heads",
    "elements+unary",
    "elementary+elements+unary",
    "elementary+unary_functions+elements+unary",
    "elements+binary",
    "entries+csr_broadcast",
    "panel+gemm",
    "panel+products+entries+sddmm",
    "entries+field_interactions",
    "panel+interactions",
    "panel+products+partition+spmm_reduce",
    "entries+csr_binary",
    "coalesce_gradient",
    "scan+bitmap+entries+spgemm+spgemm_tiles+spgemm_long",
    "panel+partition+runs+rows",
    "panel+products+bags+embedding",
    "panel+products+bags+partition+bag_sum",
    "panel+products+bags+partition+bag_max",
    "panel+elements+row_teams+bags+embedding_gradient",
    "panel+elements+row_teams+embedding_renorm",
    "panel+philox+dropout",
    "philox+negatives",
    "scan+compact",
    "words+take",
    "coo_mask",
    "scan+entries+keep",
    "scan+entries+append",
    "scan+entries+columns_of",
    "scan+entries+unique",
    "scan+duplicates",
    "retain",
    "panel+rows_multiply",
    "reshape",
    "scan+entries+fill",
    "partition+sort_rows",
    "panel+stage+products+elements+norm+row_teams+layer_norm",
    "panel+stage+products+elements+norm+batch_norm",
    "panel+words+assign_rows",
    "panel+words+scan+rows_slice",
    "panel+words+concat",
    "panel+products+elements+add_n",
    "hyper+panel+partition+runs+rule_sgd+step+absent",
    "hyper+panel+partition+runs+rule_momentum+step+absent",
    "hyper+panel+partition+runs+rule_adagrad+step+absent",
    "hyper+panel+partition+runs+moments+rule_adam+step+absent",
    "hyper+panel+partition+runs+rule_rmsprop+step+absent",
    "hyper+panel+partition+runs+rule_adadelta+step+absent",
    "hyper+elementary+panel+partition+runs+rule_ftrl+step+absent",
    "hyper+panel+partition+runs+rule_proximal+step+absent",
    "hyper+panel+partition+runs+rule_row_adagrad+step+row_teams+by_row+absent",
    "hyper+panel+partition+runs+rule_row_adam+step+row_teams+by_row+absent",
    "hyper+panel+partition+runs+rule_row_rmsprop+step+row_teams+by_row+absent",
    "hyper+panel+partition+runs+rule_row_lars+step+row_teams+by_row+absent",
    "hyper+panel+partition+runs+rule_row_lamb+step+row_teams+by_row+absent",
    "hyper+pair_power+panel+partition+runs+rule_row_steps+step+row_teams+by_row+absent",
    /* clang-format off */
    "hyper+elementary+pair_power+panel+partition+runs+rule_row_counter+step+row_teams+by_row+absent",
    /* clang-format on */
    "hyper+panel+partition+runs+moments+rule_nadam+step+absent",
    "hyper+panel+partition+runs+moments+rule_adamax+step+absent",
    "hyper+panel+partition+runs+rule_sign+step+absent",
    "hyper+panel+partition+runs+rule_yogi+step+absent",
    "hyper+panel+partition+runs+moments+rule_lamb+step+absent+table_ratio",
    "hyper+panel+partition+runs+rule_lars+step+absent+table_ratio",
    "hyper+panel+partition+runs+rule_adagrad+step+squares",
    "hyper+panel+partition+runs+moments+rule_adam+step+squares",
    "hyper+panel+partition+runs+rule_rmsprop+step+squares",
    "hyper+panel+partition+runs+rule_adadelta+step+squares",
    "hyper+elementary+panel+partition+runs+rule_ftrl+step+squares",
    "hyper+panel+partition+runs+moments+rule_nadam+step+squares",
    "hyper+panel+partition+runs+moments+rule_adamax+step+squares",
    "hyper+panel+partition+runs+moments+rule_lamb+step+squares",
    "states",
    "panel+catch_up",
    "hyper+panel+missed+lazy",
    "hyper+panel+rule_sgd+missed+step+step_late",
    "hyper+panel+rule_momentum+missed+step+step_late",
    "hyper+panel+rule_adagrad+missed+step+step_late",
    "hyper+panel+moments+rule_adam+missed+step+step_late",
    "hyper+panel+rule_rmsprop+missed+step+step_late",
    "hyper+panel+rule_adadelta+missed+step+step_late",
    "hyper+panel+moments+rule_nadam+missed+step+step_late",
    "hyper+elementary+panel+remade+rule_ftrl+step+step_late",
    "hyper+panel+remade+rule_proximal+step+step_late",
    NULL,
};

/* The first failure, which the context reports even if others follow. */
typedef struct first_failure {
    sparcl_error error;
    char *build_log;
} first_failure;

static void keep(sparcl_ctx *ctx, first_failure *first) {
    if (first->error.status != SPARCL_OK) return;
    first->error = ctx->error;
    first->build_log = ctx->build_log;
    ctx->build_log = NULL;
}

sparcl_status sparcl_ctx_build_all(sparcl_ctx *ctx, int *built, int *failed) {
    first_failure first = {.error = {.status = SPARCL_OK}};
    int good = 0, bad = 0;
    if (!ctx) return SPARCL_E_ARG;
    ctx->build.total = ctx->build.done + (int64_t)SPC_COUNT(spc_programs) - 1;
    for (const char *const *stem = spc_programs; *stem; ++stem) {
        spc_build_begin(ctx, *stem);
        const sparcl_status status = spc_program_build(ctx, *stem, 0);
        spc_build_end(ctx);
        if (status == SPARCL_OK) {
            ++good;
        } else {
            keep(ctx, &first);
            ++bad;
        }
    }
    ctx->build.total = 0;
    if (built) *built = good;
    if (failed) *failed = bad;
    if (bad == 0) return SPARCL_OK;
    spc_strfree(&ctx->allocator, ctx->build_log);
    ctx->build_log = first.build_log;
    ctx->error = first.error;
    return first.error.status;
}
