/* gpu_train.c: training with the kernels for GPUs, on a GPU of any vendor. Without a GPU the same
 * kernels run on a CPU. The model must be equal, bit for bit, to one from the kernels for CPUs.
 *
 *     gpu_train TRAIN [DEVICE]        DEVICE: default "gpu,auto" */
#include <stdio.h>
#include <string.h>

#include <sparcl/train.h>

static sparcl_status train(const sparcl_ctx_desc *ctx_desc, const sparcl_data *data,
                           sparcl_model **model, sparcl_error *error) {
    static const char *const classes[] = {"auto", "CPU", "GPU"};
    sparcl_train_desc desc;
    sparcl_train_result result;
    sparcl_ctx *ctx = NULL;
    sparcl_status status = sparcl_ctx_open(&ctx, ctx_desc, error);
    if (status != SPARCL_OK) return status;
    sparcl_train_init(&desc, SPARCL_RULE_ADAM);
    desc.optim.lr = 0.05;
    desc.epochs = 5;
    status = sparcl_train(ctx, model, data, NULL, &desc, &result, error);
    if (status == SPARCL_OK)
        printf("%s, kernels for a %s: loss %.6f, %.4f s a pass\n", sparcl_ctx_device(ctx)->name,
               classes[sparcl_ctx_device(ctx)->device_class], result.loss, result.seconds_per_pass);
    sparcl_ctx_close(ctx);
    return status;
}

static int equal(const sparcl_model *a, const sparcl_model *b) {
    const sparcl_model_info *info = sparcl_model_get_info(a);
    const size_t bytes = (size_t)(info->columns * info->outputs) * sizeof(float);
    return memcmp(sparcl_model_weights(a), sparcl_model_weights(b), bytes) == 0 &&
           memcmp(sparcl_model_bias(a), sparcl_model_bias(b), sizeof(float)) == 0;
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: gpu_train TRAIN [DEVICE]\n"), 2;
    const sparcl_ctx_desc gpu = {.device = argc > 2 ? argv[2] : "gpu,auto",
                                 .device_class = SPARCL_CLASS_GPU};
    const sparcl_ctx_desc cpu = {.device = "cpu,auto", .device_class = SPARCL_CLASS_CPU};
    sparcl_error error = {0};
    sparcl_data *data = NULL;
    sparcl_model *on_gpu = NULL, *on_cpu = NULL;
    sparcl_status status = sparcl_data_read(&data, argv[1], NULL, &error);
    if (status == SPARCL_OK) status = train(&gpu, data, &on_gpu, &error);
    if (status == SPARCL_OK) status = train(&cpu, data, &on_cpu, &error);
    int code = status != SPARCL_OK;
    if (code) {
        fprintf(stderr, "%s\n", error.message);
    } else {
        code = !equal(on_gpu, on_cpu);
        printf("the two models are %s\n", code ? "DIFFERENT" : "equal bit for bit");
    }
    sparcl_model_free(on_gpu);
    sparcl_model_free(on_cpu);
    sparcl_data_free(data);
    return status == SPARCL_E_DEVICE ? 77 : code;
}
