/* layer_names.h: the names of the parameters of layers. */
#ifndef SPC_MODEL_LAYER_NAMES_H
#define SPC_MODEL_LAYER_NAMES_H

/* Of layer i, from 0: "w1", "b1" and so on. */
const char *spc_layer_weight(int i);
const char *spc_layer_bias(int i);

#endif
