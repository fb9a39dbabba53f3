/* operations_structure.cpp: the operations that move entries, order and shape and conversions, each
 * bound by its C declaration. */
#include "arguments.h"

/* Operations on several matrices take them as one array. */
template <class H> static auto views_of(Several<H> from) {
    std::vector<decltype(H::view)> views;
    for (const H *one : from)
        views.push_back(one->view);
    return views;
}

template <auto Function>
static sparcl_status join(sparcl_ctx *ctx, sparcl_csr *to, Several<Csr> from,
                          const sparcl_moved *moved) {
    return Function(ctx, to, views_of<Csr>(from).data(), (int)from.size(), moved);
}

static sparcl_status coo_concat(sparcl_ctx *ctx, sparcl_coo *to, Several<Coo> from, int axis,
                                const sparcl_moved *moved) {
    return sparcl_coo_concat(ctx, to, views_of<Coo>(from).data(), (int)from.size(), axis, moved);
}

static std::vector<const sparcl_dense *> pointers_to(Several<Dense> parts) {
    std::vector<const sparcl_dense *> views;
    for (const Dense *part : parts)
        views.push_back(&part->view);
    return views;
}

static sparcl_status dense_concat(sparcl_ctx *ctx, const sparcl_dense *to, Several<Dense> parts,
                                  int axis) {
    return sparcl_dense_concat(ctx, to, pointers_to(parts).data(), (int)parts.size(), axis);
}

static sparcl_status dense_split(sparcl_ctx *ctx, Several<Dense> parts, const sparcl_dense *from,
                                 int axis) {
    return sparcl_dense_split(ctx, pointers_to(parts).data(), (int)parts.size(), from, axis);
}

void bind_structure(nb::module_ &m) {
    BIND(csr_slice_rows);
    BIND(csr_slice_columns);
    BIND(csr_take_rows);
    BIND(csr_take_columns);
    BIND(csr_retain_rows);
    bind_one(m, "csr_concat_rows", join<sparcl_csr_concat_rows>);
    bind_one(m, "csr_concat_columns", join<sparcl_csr_concat_columns>);
    bind_one(m, "csr_block_diagonal", join<sparcl_csr_block_diagonal>);
    bind_one(m, "dense_concat", dense_concat);
    bind_one(m, "dense_split", dense_split);
    BIND(csr_transpose);
    BIND(csr_triangle);
    BIND(csr_sort_indices);
    BIND(csr_reshape);
    BIND(csr_fill_empty_rows);
    BIND(csr_fill_empty_rows_gradient);
    BIND(csr_sum_duplicates);
    BIND(unique);
    BIND(coo_sort);
    BIND(coo_coalesce);
    BIND(coo_coalesce_gradient);
    BIND(coo_permute_view);
    BIND(coo_permute);
    BIND(coo_reshape);
    BIND(coo_expand_dims);
    BIND(coo_squeeze);
    BIND(coo_project);
    BIND(coo_reset_shape);
    BIND(coo_slice);
    bind_one(m, "coo_concat", coo_concat);
    BIND(coo_fill_empty_rows);
    BIND(gather_rows);
    BIND(rows_coalesce);
    BIND(rows_retain_all);
    BIND(rows_retain_stored);
    BIND(rows_retain_gradient);
    BIND(rows_mask);
    BIND(rows_slice);
    BIND(rows_concat);
}

void bind_conversions(nb::module_ &m) {
    BIND(csr_to_dense);
    BIND(csc_to_dense);
    BIND(coo_to_dense);
    BIND(bsr_to_dense);
    BIND(rows_to_dense);
    BIND(dense_to_csr);
    BIND(dense_to_coo);
    BIND(dense_to_rows);
    BIND(topk_rows);
    BIND(sparse_mask);
    BIND(coo_mask);
    BIND(csr_prune);
    BIND(csr_to_csc);
    BIND(csc_to_csr);
    BIND(csr_to_coo);
    BIND(csc_to_coo);
    BIND(coo_to_csr);
    BIND(coo_to_csc);
    BIND(csr_to_bsr);
    BIND(bsr_to_csr);
    BIND(csr_to_rows);
    BIND(csr_to_rows_gradient);
    BIND(rows_to_csr);
    BIND(convert);
}
