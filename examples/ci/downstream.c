/* downstream.c: a test of a downstream project: a sparse product on the device of the CI machine,
 * compared exactly. */
#include <stdio.h>
#include <string.h>

#include <sparcl/sparcl.h>

int main(void) {
    /* [1 0 2; 0 3 0] * [1 2; 3 4; 5 6] */
    const int32_t offsets[] = {0, 2, 3}, indices[] = {0, 2, 1};
    const float values[] = {1, 2, 3}, dense[] = {1, 2, 3, 4, 5, 6}, expected[] = {11, 14, 9, 12};
    float got[4] = {0};
    sparcl_error error = {0};
    sparcl_ctx *ctx = NULL;
    if (sparcl_ctx_open(&ctx, NULL, &error) != SPARCL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    sparcl_csr a = {.rows = 2, .cols = 3, .nnz = 3};
    sparcl_dense b = {.rank = 2, .shape = {3, 2}}, c = {.rank = 2, .shape = {2, 2}};
    sparcl_status status =
        sparcl_csr_upload(ctx, &a, offsets, indices, values, SPARCL_SORTED | SPARCL_UNIQUE);
    if (!status) status = sparcl_dense_upload(ctx, &b, dense);
    if (!status) status = sparcl_dense_create(ctx, &c);
    if (!status) status = sparcl_spmm(ctx, &c, 1, &a, &b, 0);
    if (!status) status = sparcl_dense_read(ctx, &c, got);
    if (status) fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
    printf("on %s: %s\n", sparcl_ctx_device(ctx)->name,
           !status && memcmp(got, expected, sizeof got) == 0 ? "equal" : "DIFFERENT");
    sparcl_csr_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
    sparcl_ctx_close(ctx);
    return status || memcmp(got, expected, sizeof got) != 0;
}
