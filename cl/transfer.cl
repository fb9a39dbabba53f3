/* transfer.cl: copy and fill bytes on all cores. Range: FOR_EACH. */

KERNEL copy_bytes(__global uchar *to, long to_at, __global const uchar *from, long from_at,
                  long bytes) {
    to += to_at;
    from += from_at;
    FOR_EACH(i, bytes / 16) vstore16(vload16(i, from), i, to);
    if (get_global_id(0) == 0)
        for (long i = bytes / 16 * 16; i < bytes; ++i) to[i] = from[i];
}

KERNEL fill_bytes(__global uchar *to, long at, long bytes, int value) {
    const uchar16 fill = (uchar16)((uchar)value);
    to += at;
    FOR_EACH(i, bytes / 16) vstore16(fill, i, to);
    if (get_global_id(0) == 0)
        for (long i = bytes / 16 * 16; i < bytes; ++i) to[i] = (uchar)value;
}
