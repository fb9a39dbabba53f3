/* graphs.h: reads graphs and pruned weights as text: edge lists, adjacency lists, .smtx, ratings.
 */
#ifndef SPC_DATA_GRAPHS_H
#define SPC_DATA_GRAPHS_H

#include "data/io/input.h"

SPARCL_MUST_CHECK sparcl_status spc_edges_read(sparcl_data *data, spc_input *input,
                                               const sparcl_data_desc *desc, sparcl_error *error);
SPARCL_MUST_CHECK sparcl_status spc_ratings_read(sparcl_data *data, spc_input *input,
                                                 const sparcl_data_desc *desc, sparcl_error *error);
SPARCL_MUST_CHECK sparcl_status spc_adjacency_read(sparcl_data *data, spc_input *input,
                                                   const sparcl_data_desc *desc,
                                                   sparcl_error *error);
SPARCL_MUST_CHECK sparcl_status spc_smtx_read(sparcl_data *data, spc_input *input,
                                              const sparcl_data_desc *desc, sparcl_error *error);

/* Refuse a request to count from 1; `what` is what was found. */
SPARCL_MUST_CHECK sparcl_status spc_refuse_base_1(const spc_input *input,
                                                  const sparcl_data_desc *desc, const char *what,
                                                  sparcl_error *error);

#endif
