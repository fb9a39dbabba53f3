/* bucket_split.cl: buckets of items with long keys, split into more buckets of items with short
 * keys. After scan.cl and bucket.cl.
 *
 * Defines  bucket_split
 * Range    one group per partition (cl/bucket.cl)
 * Memory   to: items of 8 bytes, each in the range of its old bucket; to_begins: where the new
 *          buckets begin
 */
#if !SPC_GPU

KERNEL bucket_split(__global const item *items, __global const uint *begins, int low_bits,
                    int buckets, int bits, __global ulong *to, __global uint *to_begins) {
    uint counts[MAX_BUCKETS];
    const int shift = low_bits - bits, size = 1 << bits;
    const ulong mask = (1UL << shift) - 1;
    FOR_EACH_BUCKET(d) {
        const uint end = begins[d + 1];
        for (int c = 0; c < size; ++c) counts[c] = 0;
        for (uint i = begins[d]; i < end; ++i) ++counts[KEY_FROM(items[i], shift)];
        sum_counts(counts, size, begins[d]);
        for (int c = 0; c < size; ++c) to_begins[d * size + c] = counts[c];
        for (uint i = begins[d]; i < end; ++i) {
            const item moved = items[i];
            const uint place = counts[KEY_FROM(moved, shift)]++;
            PREFETCH_AFTER(to, place);
            to[place] = (KEY_OF(moved) & mask) << 32 | PAYLOAD_OF(moved);
        }
    }
    if (get_group_id(0) == 0) to_begins[buckets * size] = begins[buckets];
}

#endif
