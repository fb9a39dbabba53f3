/* init.c: the initial values of parameters. */
#include <math.h>

#include "base/random.h"
#include "model/builtin.h"

void spc_init_uniform(uint64_t seed, int parameter, int64_t count, double bound, float *values) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int64_t i = 0; i < count; i += 4) {
        const uint64_t at = (uint64_t)i / 4;
        /* The row order has numbers of passes where this has ~parameter. */
        const uint32_t counter[4] = {(uint32_t)at, (uint32_t)(at >> 32), ~(uint32_t)parameter,
                                     UINT32_MAX};
        uint32_t r[4];
        spc_philox(counter, key, r);
        for (int64_t k = 0; k < 4 && i + k < count; ++k)
            values[i + k] = (float)(bound * ((double)(r[k] >> 8) * 0x1p-23 - 1));
    }
}

void spc_init_factors(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                      float *values) {
    static const double root_of_3 = 1.7320508075688772;
    const spc_model_settings *const s = user;
    if (rank == 2)
        spc_init_uniform(seed, parameter, shape[0] * shape[1], root_of_3 * s->init, values);
}

void spc_init_layers(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                     float *values) {
    (void)user;
    if (rank == 2)
        spc_init_uniform(seed, parameter, shape[0] * shape[1],
                         sqrt(6 / (double)(shape[0] + shape[1])), values);
}
