/* benches.c: the list of operations that 'sparcl bench' times. */
#include "spec/bench.h"

#define BENCHES(M)                                                                                 \
    M(spmm)                                                                                        \
    M(spmm_f16)                                                                                    \
    M(spmm_bf16)                                                                                   \
    M(spmm_t)                                                                                      \
    M(spmm_t_rows)                                                                                 \
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
    M(csr_concat)                                                                                  \
    M(csr_slice_columns)                                                                           \
    M(coo_coalesce_max)                                                                            \
    M(unique)                                                                                      \
    M(bag)                                                                                         \
    M(step)                                                                                        \
    M(dedupe_step)                                                                                 \
    M(elementwise_tanh)                                                                            \
    M(elementwise_sqrt)                                                                            \
    M(elementwise_product)                                                                         \
    M(elementwise_rows)                                                                            \
    M(elementwise_columns)                                                                         \
    M(csr_reduce)                                                                                  \
    M(csr_softmax)                                                                                 \
    M(segment_sum)                                                                                 \
    M(segment_sum_sorted)                                                                          \
    M(segment_sum_unsorted)                                                                        \
    M(segment_max)                                                                                 \
    M(sddmm)                                                                                       \
    M(spmm_max)                                                                                    \
    M(spmm_mean)                                                                                   \
    M(spgemm)                                                                                      \
    M(csr_add)                                                                                     \
    M(embedding_bag)                                                                               \
    M(embedding_bag_mean)                                                                          \
    M(embedding_bag_max)                                                                           \
    M(dropout)                                                                                     \
    M(layer_norm)

#define DECLARE(name) extern const spec_bench spec_bench_##name;
#define ADDRESS(name) &spec_bench_##name,
BENCHES(DECLARE)

const spec_bench *const spec_benches[] = {BENCHES(ADDRESS) NULL};
