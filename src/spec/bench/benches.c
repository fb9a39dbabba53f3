/* benches.c: the list of operations that 'sparcl bench' times. */
#include "spec/bench/bench.h"

#define BENCHES(M)                                                                                 \
    M(transpose)                                                                                   \
    M(reorder)                                                                                     \
    M(coalesce)                                                                                    \
    M(convert)                                                                                     \
    M(convert_shared)                                                                              \
    M(select_rows)                                                                                 \
    M(to_dense)                                                                                    \
    M(from_dense)                                                                                  \
    M(to_bsr)                                                                                      \
    M(bsr_to_dense)                                                                                \
    M(bsr_to_csr)                                                                                  \
    M(coo_to_dense)                                                                                \
    M(csc_to_dense)                                                                                \
    M(dense_to_coo)                                                                                \
    M(dense_to_rows)                                                                               \
    M(csr_to_rows)                                                                                 \
    M(rows_to_dense)                                                                               \
    M(rows_to_csr)                                                                                 \
    M(topk)                                                                                        \
    M(sparse_mask)                                                                                 \
    M(csr_concat)                                                                                  \
    M(csr_concat_columns)                                                                          \
    M(csr_block_diagonal)                                                                          \
    M(csr_slice_rows)                                                                              \
    M(csr_slice_columns)                                                                           \
    M(csr_take_rows)                                                                               \
    M(csr_retain_rows)                                                                             \
    M(csr_take_columns)                                                                            \
    M(csr_triangle)                                                                                \
    M(csr_eliminate_zeros)                                                                         \
    M(csr_prune)                                                                                   \
    M(csr_fill_empty_rows)                                                                         \
    M(csr_sort_indices)                                                                            \
    M(csr_sum_duplicates)                                                                          \
    M(csr_reshape)                                                                                 \
    M(coo_slice)                                                                                   \
    M(coo_concat)                                                                                  \
    M(coo_permute)                                                                                 \
    M(coo_reshape)                                                                                 \
    M(coo_add)                                                                                     \
    M(coo_multiply)                                                                                \
    M(coo_fill_empty_rows)                                                                         \
    M(coo_reduce_max)                                                                              \
    M(coo_coalesce_gradient)                                                                       \
    M(coo_mask)                                                                                    \
    M(coo_coalesce_max)                                                                            \
    M(unique)                                                                                      \
    M(step)                                                                                        \
    M(dedupe_step)                                                                                 \
    M(bag_step)                                                                                    \
    M(lazy_step)                                                                                   \
    M(exact_step)                                                                                  \
    M(elementwise_tanh)                                                                            \
    M(tanh_gradient)                                                                               \
    M(clip)                                                                                        \
    M(clip_gradient)                                                                               \
    M(elementwise_sqrt)                                                                            \
    M(elementwise_relu)                                                                            \
    M(elementwise_product)                                                                         \
    M(multiply_gradient)                                                                           \
    M(elementwise_rows)                                                                            \
    M(scale_rows_gradient)                                                                         \
    M(elementwise_columns)                                                                         \
    M(scale_columns_gradient)                                                                      \
    M(csr_reduce)                                                                                  \
    M(csr_reduce_columns)                                                                          \
    M(csr_reduce_max)                                                                              \
    M(csr_reduce_norm)                                                                             \
    M(csr_reduce_gradient)                                                                         \
    M(dense_reduce)                                                                                \
    M(dense_reduce_columns)                                                                        \
    M(dense_reduce_gradient)                                                                       \
    M(csr_softmax)                                                                                 \
    M(csr_log_softmax)                                                                             \
    M(csr_softmax_gradient)                                                                        \
    M(csr_softmax_heads)                                                                           \
    M(csr_softmax_heads_gradient)                                                                  \
    M(segment_sum)                                                                                 \
    M(segment_sum_sorted)                                                                          \
    M(segment_sum_unsorted)                                                                        \
    M(segment_max)                                                                                 \
    M(segment_sum_gradient)                                                                        \
    M(segment_max_gradient)                                                                        \
    M(rows_add)                                                                                    \
    M(rows_add_n)                                                                                  \
    M(rows_coalesce)                                                                               \
    M(rows_coalesce_max)                                                                           \
    M(rows_concat)                                                                                 \
    M(rows_retain_all)                                                                             \
    M(rows_retain_stored)                                                                          \
    M(rows_slice)                                                                                  \
    M(rows_mask)                                                                                   \
    M(rows_multiply)                                                                               \
    M(rows_reduce)                                                                                 \
    M(rows_reduce_columns)                                                                         \
    M(add_n)                                                                                       \
    M(add_scalar)                                                                                  \
    M(dense_concat)                                                                                \
    M(dense_concat_columns)                                                                        \
    M(dense_split)                                                                                 \
    M(dense_split_columns)                                                                         \
    M(gather_rows)                                                                                 \
    M(dot_rows)                                                                                    \
    M(dot_rows_gradient)

#define DECLARE(name) extern const spec_bench spec_bench_##name;
#define ADDRESS(name) &spec_bench_##name,
BENCHES(DECLARE)

static const spec_bench *const others[] = {BENCHES(ADDRESS) NULL};

const spec_bench *spec_bench_at(int i) {
    for (const spec_op *const *op = spec_ops; *op; ++op)
        for (const spec_bench *b = (*op)->timed; b && b->name; ++b)
            if (i-- == 0) return b;
    return others[i];
}
