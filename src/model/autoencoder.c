/* autoencoder.c: the k-sparse autoencoder (Makhzani and Frey, 2013). */
#include "model/builtin.h"

/* Of each row, the k largest of its hidden units are its code. */
static sparcl_status build(void *user, sparcl_build *b) {
    const spc_model_settings *const s = user;
    const int64_t in[] = {b->columns, s->units}, out[] = {s->units, b->outputs};
    sparcl_graph *const g = b->graph;
    const sparcl_node encoder = sparcl_build_parameter(b, "encoder", 2, in, NULL);
    const sparcl_node encoder_bias =
        sparcl_build_parameter(b, "encoder.bias", 1, &s->units, &b->optim_without_l2);
    const sparcl_node decoder = sparcl_build_parameter(b, "decoder", 2, out, NULL);
    const sparcl_node decoder_bias =
        sparcl_build_parameter(b, "decoder.bias", 1, &b->outputs, &b->optim_without_l2);
    const sparcl_node units = sparcl_graph_binary(
        g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, b->x, encoder), encoder_bias);
    b->codes = sparcl_graph_topk_rows(g, units, s->k, SPARCL_TOPK_VALUE);
    b->scores = sparcl_graph_binary(g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, b->codes, decoder),
                                    decoder_bias);
    return SPARCL_OK;
}

const spc_builtin spc_builtin_autoencoder = {
    .kind = {.name = "autoencoder",
             .formula = "topk(x encoder + encoder.bias) decoder + decoder.bias, which is to be x",
             .source = "Makhzani and Frey, k-Sparse Autoencoders, arXiv:1312.5663",
             .settings = "units k",
             .optimizer = "adam",
             .epochs = 10,
             .task = SPARCL_TASK_RECONSTRUCT},
    .build = build,
    .init = spc_init_layers,
    .parameters = {"encoder", "encoder.bias", "decoder", "decoder.bias"}};
