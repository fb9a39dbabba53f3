/* layer_names.c: the names of the parameters of layers. */
#include "model/layer_names.h"

const char *spc_layer_weight(int i) {
    static const char *const names[] = {"w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9"};
    return names[i];
}

const char *spc_layer_bias(int i) {
    static const char *const names[] = {"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"};
    return names[i];
}
