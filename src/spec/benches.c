/* benches.c: the list of operations that 'sparcl bench' times. */
#include "spec/bench.h"

#define BENCHES(M)                                                                                 \
    M(spmm)                                                                                        \
    M(spmm_f16)                                                                                    \
    M(spmm_bf16)                                                                                   \
    M(spmm_t)                                                                                      \
    M(spmm_t_rows)                                                                                 \
    M(matmul_csc)                                                                                  \
    M(matmul_coo)                                                                                  \
    M(matmul_dense_csr)                                                                            \
    M(matmul_dense_csr_t)                                                                          \
    M(pattern)                                                                                     \
    M(transpose)                                                                                   \
    M(reorder)                                                                                     \
    M(coalesce)                                                                                    \
    M(convert)                                                                                     \
    M(select_rows)                                                                                 \
    M(to_dense)                                                                                    \
    M(from_dense)                                                                                  \
    M(to_bsr)                                                                                      \
    M(topk)                                                                                        \
    M(sparse_mask)                                                                                 \
    M(csr_concat)                                                                                  \
    M(csr_concat_columns)                                                                          \
    M(csr_block_diagonal)                                                                          \
    M(csr_slice_columns)                                                                           \
    M(csr_take_columns)                                                                            \
    M(csr_triangle)                                                                                \
    M(csr_eliminate_zeros)                                                                         \
    M(csr_sort_indices)                                                                            \
    M(csr_sum_duplicates)                                                                          \
    M(csr_reshape)                                                                                 \
    M(coo_coalesce_max)                                                                            \
    M(unique)                                                                                      \
    M(bag)                                                                                         \
    M(step)                                                                                        \
    M(dedupe_step)                                                                                 \
    M(elementwise_tanh)                                                                            \
    M(tanh_gradient)                                                                               \
    M(clip)                                                                                        \
    M(clip_gradient)                                                                               \
    M(elementwise_sqrt)                                                                            \
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
    M(csr_softmax_gradient)                                                                        \
    M(csr_softmax_heads)                                                                           \
    M(csr_softmax_heads_gradient)                                                                  \
    M(segment_sum)                                                                                 \
    M(segment_sum_sorted)                                                                          \
    M(segment_sum_unsorted)                                                                        \
    M(segment_max)                                                                                 \
    M(segment_sum_gradient)                                                                        \
    M(segment_max_gradient)                                                                        \
    M(sddmm)                                                                                       \
    M(spmm_max)                                                                                    \
    M(spmm_mean)                                                                                   \
    M(spgemm)                                                                                      \
    M(csr_add)                                                                                     \
    M(csr_multiply)                                                                                \
    M(csr_multiply_dense)                                                                          \
    M(rows_add)                                                                                    \
    M(rows_add_n)                                                                                  \
    M(add_n)                                                                                       \
    M(dense_concat)                                                                                \
    M(dense_concat_columns)                                                                        \
    M(embedding_bag)                                                                               \
    M(embedding_bag_mean)                                                                          \
    M(embedding_bag_max)                                                                           \
    M(embedding)                                                                                   \
    M(embedding_max_norm)                                                                          \
    M(dropout)                                                                                     \
    M(dropout_gradient)                                                                            \
    M(layer_norm)                                                                                  \
    M(layer_norm_gradient)                                                                         \
    M(batch_norm)                                                                                  \
    M(batch_norm_gradient)                                                                         \
    M(batch_norm_inference)                                                                        \
    M(dot_rows)                                                                                    \
    M(dot_rows_gradient)

#define DECLARE(name) extern const spec_bench spec_bench_##name;
#define ADDRESS(name) &spec_bench_##name,
BENCHES(DECLARE)

const spec_bench *const spec_benches[] = {BENCHES(ADDRESS) NULL};
