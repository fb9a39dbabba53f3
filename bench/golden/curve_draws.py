"""The random numbers of sparcl, again: initial values, the order of rows and the negative samples are functions of a
counter and the seed (src/model/init.c, src/train/shuffle.c, include/sparcl/ops/layers.h)."""
import numpy as np

WORD = 0xFFFFFFFF


def philox(counter, key):
    """Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011), in integers of Python."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(second >> 32) ^ c[1] ^ k[0], second & WORD, (first >> 32) ^ c[3] ^ k[1], first & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return c


def key_of(seed):
    return [seed & WORD, seed >> 32]


def order(seed, epoch, rows):
    """The order of the rows of a pass: a shuffle by Fisher and Yates."""
    result = list(range(rows))
    for i in range(rows - 1, 0, -1):
        r = philox([i & WORD, i >> 32, epoch & WORD, epoch >> 32], key_of(seed))
        j = ((r[0] << 32 | r[1]) * (i + 1)) >> 64
        result[i], result[j] = result[j], result[i]
    return result


def uniform(seed, parameter, shape, bound):
    """Initial values of the parameter with this number, from -bound to bound, as float32."""
    count, words = int(np.prod(shape)), []
    for at in range((count + 3) // 4):
        words += philox([at, 0, ~parameter & WORD, WORD], key_of(seed))
    values = [bound * ((word >> 8) * 2.0**-23 - 1) for word in words[:count]]
    return np.array(values).astype(np.float32).reshape(shape)


def layer(seed, parameter, shape):
    """Initial values of a layer: Glorot and Bengio's."""
    return uniform(seed, parameter, shape, np.sqrt(6 / (shape[0] + shape[1])))


def negative(seed, step, t, known, items):
    """The item that pair t of a step is compared with: one that its user, with the items `known`, does not have."""
    for draw in range(16):
        words = philox([t, (t >> 32) + 65536 * (draw // 4), step & WORD, step >> 32], key_of(seed))
        item = words[draw % 4] * items >> 32
        if item not in known:
            return item
    return next((i % items for i in range(item, item + items) if i % items not in known), item)
