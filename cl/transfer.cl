/* transfer.cl: copy and fill bytes on all cores. Range: FOR_EACH; clear_rows: a group a row. */

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

/* Rows with gaps between them, which stay. */
KERNEL clear_rows(__global uchar *to, long at, long bytes, long pitch, long rows) {
    const int in_words = ((at | bytes | pitch) & 3) == 0;
    for (long i = get_group_id(0); i < rows; i += get_num_groups(0)) {
        __global uchar *const row = to + (at + i * pitch);
        __global uint *const words = (__global uint *)row;
        for (long j = get_local_id(0); in_words && j < bytes / 4; j += get_local_size(0))
            words[j] = 0;
        for (long j = get_local_id(0); !in_words && j < bytes; j += get_local_size(0)) row[j] = 0;
    }
}
