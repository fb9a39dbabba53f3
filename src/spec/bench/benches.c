/* benches.c: the list of operations that 'sparcl bench' times. */
#include "spec/bench/bench.h"

#define BENCHES(M)                                                                                 \
    M(spmm_t)                                                                                      \
    M(spmm_t_rows)                                                                                 \
    M(matmul_csc)                                                                                  \
    M(matmul_coo)                                                                                  \
    M(matmul_bsr)                                                                                  \
    M(matmul_dense_csr)                                                                            \
    M(matmul_dense_csr_t)                                                                          \
    M(pattern)                                                                                     \
    M(step)                                                                                        \
    M(dedupe_step)                                                                                 \
    M(bag_step)                                                                                    \
    M(lazy_step)                                                                                   \
    M(exact_step)                                                                                  \
    M(sddmm)                                                                                       \
    M(spmm_max)                                                                                    \
    M(spmm_mean)                                                                                   \
    M(spmm_max_gradient)                                                                           \
    M(spmm_mean_gradient)                                                                          \
    M(spgemm)                                                                                      \
    M(spgemm_gradient)                                                                             \
    M(embedding_bag)                                                                               \
    M(embedding_bag_mean)                                                                          \
    M(embedding_bag_sqrtn)                                                                         \
    M(embedding_bag_max)                                                                           \
    M(embedding_bag_gradient)                                                                      \
    M(embedding_bag_mean_gradient)                                                                 \
    M(embedding_bag_max_gradient)                                                                  \
    M(embedding_weights_gradient)                                                                  \
    M(embedding)                                                                                   \
    M(gather_rows)                                                                                 \
    M(embedding_gradient)                                                                          \
    M(embedding_max_norm)                                                                          \
    M(dropout)                                                                                     \
    M(dropout_gradient)                                                                            \
    M(layer_norm)                                                                                  \
    M(layer_norm_gradient)                                                                         \
    M(batch_norm)                                                                                  \
    M(batch_norm_gradient)                                                                         \
    M(batch_norm_inference)

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
