// cuSPARSE, and pipelines of CUB. usage: peer_cuda CASEFOLDER
// Built by: nvcc -O3 -std=c++17 peer_cuda.cu -lcusparse -o peer_cuda
//
// A product uses the fastest of cuSPARSE's algorithms that support the case, after the preprocessing
// that each offers. The name of the algorithm is printed on standard error.
#include <cuda_runtime.h>
#include <cusparse.h>

#include <cub/cub.cuh>

#include "peer_serve.hpp"

static void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

static void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

static cusparseHandle_t library() {
    static cusparseHandle_t handle = nullptr;
    if (!handle) check(cusparseCreate(&handle));
    return handle;
}

// An array on the device.
template <class T> struct Array {
    T *at = nullptr;
    size_t count;
    explicit Array(size_t n) : count(n) { check(cudaMalloc(&at, std::max<size_t>(n, 1) * sizeof(T))); }
    explicit Array(const std::vector<T> &host) : Array(host.size()) {
        check(cudaMemcpy(at, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() { cudaFree(at); }
};

template <class T, class From> std::shared_ptr<Array<T>> array(const From &from) {
    return std::make_shared<Array<T>>(from);
}

static std::vector<float> numbers(size_t count) {
    std::vector<float> values(count);
    std::mt19937 random(7);
    for (float &value : values)
        value = (float)random() / (float)(1u << 31) - 1;
    return values;
}

static void wait() {
    check(cudaDeviceSynchronize());
}

// --- the matrix on the device ------------------------------------------------------------------

struct Sparse {
    long rows, columns, entries;
    Array<int> offsets, row_of, indices; // row_of: the row of each entry, for COO
    Array<float> values;
    cusparseSpMatDescr_t csr = nullptr, coo = nullptr;

    explicit Sparse(const Matrix &m)
        : rows(m.shape[0]), columns(m.shape[1]), entries((long)m.data.size()), offsets(m.indptr), row_of(rows_of(m)),
          indices(m.indices), values(m.data) {
        check(cusparseCreateCsr(&csr, rows, columns, entries, offsets.at, indices.at, values.at, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        check(cusparseCreateCoo(&coo, rows, columns, entries, row_of.at, indices.at, values.at, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    }
    Sparse(const Sparse &) = delete;
    Sparse &operator=(const Sparse &) = delete;
    ~Sparse() {
        cusparseDestroySpMat(csr);
        cusparseDestroySpMat(coo);
    }

private:
    static std::vector<int> rows_of(const Matrix &m) {
        std::vector<int> rows(m.data.size());
        for (size_t r = 0; r + 1 < m.indptr.size(); r++)
            std::fill(rows.begin() + m.indptr[r], rows.begin() + m.indptr[r + 1], (int)r);
        return rows;
    }
};

static Matrix transposed(const Matrix &m) {
    Matrix t = m;
    std::swap(t.shape[0], t.shape[1]);
    t.indptr.assign((size_t)t.shape[0] + 1, 0);
    for (int column : m.indices)
        t.indptr[(size_t)column + 1]++;
    for (size_t c = 0; c + 1 < t.indptr.size(); c++)
        t.indptr[c + 1] += t.indptr[c];
    std::vector<int> place(t.indptr.begin(), t.indptr.end() - 1);
    for (size_t r = 0; r + 1 < m.indptr.size(); r++)
        for (int k = m.indptr[r]; k < m.indptr[r + 1]; k++) {
            const int to = place[(size_t)m.indices[(size_t)k]]++;
            t.indices[(size_t)to] = (int)r;
            t.data[(size_t)to] = m.data[(size_t)k];
        }
    return t;
}

// --- products ----------------------------------------------------------------------------------

// One implementation of a product: a format and an algorithm.
struct Implementation {
    const char *name;
    bool coo;
    int algorithm;
};

static const Implementation matrix_products[] = {{"CSR default", false, CUSPARSE_SPMM_ALG_DEFAULT},
                                                 {"CSR 1", false, CUSPARSE_SPMM_CSR_ALG1},
                                                 {"CSR 2", false, CUSPARSE_SPMM_CSR_ALG2},
                                                 {"CSR 3", false, CUSPARSE_SPMM_CSR_ALG3},
                                                 {"COO 1", true, CUSPARSE_SPMM_COO_ALG1},
                                                 {"COO 2", true, CUSPARSE_SPMM_COO_ALG2},
                                                 {"COO 3", true, CUSPARSE_SPMM_COO_ALG3},
                                                 {"COO 4", true, CUSPARSE_SPMM_COO_ALG4}};
static const Implementation vector_products[] = {{"vector CSR 1", false, CUSPARSE_SPMV_CSR_ALG1},
                                                 {"vector CSR 2", false, CUSPARSE_SPMV_CSR_ALG2},
                                                 {"vector COO 1", true, CUSPARSE_SPMV_COO_ALG1},
                                                 {"vector COO 2", true, CUSPARSE_SPMV_COO_ALG2}};
static const float one = 1, zero = 0;

struct Operands {
    Array<float> b, c;
    cusparseDnMatDescr_t b_matrix = nullptr, c_matrix = nullptr;
    cusparseDnVecDescr_t b_vector = nullptr, c_vector = nullptr;

    Operands(long inner, long outer, int n) : b(numbers((size_t)(inner * n))), c((size_t)(outer * n)) {
        check(cusparseCreateDnMat(&b_matrix, inner, n, n, b.at, CUDA_R_32F, CUSPARSE_ORDER_ROW));
        check(cusparseCreateDnMat(&c_matrix, outer, n, n, c.at, CUDA_R_32F, CUSPARSE_ORDER_ROW));
        check(cusparseCreateDnVec(&b_vector, inner * n, b.at, CUDA_R_32F));
        check(cusparseCreateDnVec(&c_vector, outer * n, c.at, CUDA_R_32F));
    }
    Operands(const Operands &) = delete;
    Operands &operator=(const Operands &) = delete;
    ~Operands() {
        cusparseDestroyDnMat(b_matrix);
        cusparseDestroyDnMat(c_matrix);
        cusparseDestroyDnVec(b_vector);
        cusparseDestroyDnVec(c_vector);
    }
};

using SparsePointer = std::shared_ptr<Sparse>;
using OperandsPointer = std::shared_ptr<Operands>;

static Prepared matrix_product(const Implementation &by, SparsePointer a, OperandsPointer x, cusparseOperation_t op) {
    const auto matrix = by.coo ? a->coo : a->csr;
    const auto algorithm = (cusparseSpMMAlg_t)by.algorithm;
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    check(cusparseSpMM_bufferSize(library(), op, plain, &one, matrix, x->b_matrix, &zero, x->c_matrix, CUDA_R_32F,
                                  algorithm, &bytes));
    auto workspace = array<char>(bytes);
    check(cusparseSpMM_preprocess(library(), op, plain, &one, matrix, x->b_matrix, &zero, x->c_matrix, CUDA_R_32F,
                                  algorithm, workspace->at));
    return {[=] {
                check(cusparseSpMM(library(), op, plain, &one, matrix, x->b_matrix, &zero, x->c_matrix, CUDA_R_32F,
                                   algorithm, workspace->at));
                (void)a;
            },
            wait};
}

static Prepared vector_product(const Implementation &by, SparsePointer a, OperandsPointer x, cusparseOperation_t op) {
    const auto matrix = by.coo ? a->coo : a->csr;
    const auto algorithm = (cusparseSpMVAlg_t)by.algorithm;
    size_t bytes = 0;
    check(cusparseSpMV_bufferSize(library(), op, &one, matrix, x->b_vector, &zero, x->c_vector, CUDA_R_32F, algorithm,
                                  &bytes));
    auto workspace = array<char>(bytes);
    check(cusparseSpMV_preprocess(library(), op, &one, matrix, x->b_vector, &zero, x->c_vector, CUDA_R_32F, algorithm,
                                  workspace->at));
    return {[=] {
                check(cusparseSpMV(library(), op, &one, matrix, x->b_vector, &zero, x->c_vector, CUDA_R_32F, algorithm,
                                   workspace->at));
                (void)a;
            },
            wait};
}

// The fastest implementation so far.
struct Best {
    Prepared prepared;
    double seconds = 1e30;
    std::string name = "none";

    template <class Make> void attempt(const std::string &candidate_name, Make make) {
        try {
            const Prepared candidate = make();
            const double candidate_seconds = turn(candidate, 0.05, 1);
            if (candidate_seconds < seconds) {
                prepared = candidate;
                seconds = candidate_seconds;
                name = candidate_name;
            }
        } catch (const std::exception &) { // this algorithm does not support the case
            cudaGetLastError();
        }
    }
};

static void attempt_all(Best &best, const std::string &prefix, SparsePointer a, OperandsPointer x,
                        cusparseOperation_t op, int n) {
    for (const Implementation &by : matrix_products)
        best.attempt(prefix + by.name, [&] { return matrix_product(by, a, x, op); });
    if (n == 1)
        for (const Implementation &by : vector_products)
            best.attempt(prefix + by.name, [&] { return vector_product(by, a, x, op); });
}

static Prepared fastest(const Best &best) {
    if (!best.prepared.call) throw NotOffered("no algorithm of cuSPARSE supports this case");
    std::cerr << "cuSPARSE: " << best.name << std::endl;
    return best.prepared;
}

static Prepared product(const Matrix &m, int n) {
    Best best;
    attempt_all(best, "", std::make_shared<Sparse>(m), std::make_shared<Operands>(m.shape[1], m.shape[0], n),
                CUSPARSE_OPERATION_NON_TRANSPOSE, n);
    return fastest(best);
}

// cuSPARSE transposes within the call. With with_copy, products of a transposed copy, which is made
// before and not timed, are candidates too.
static Prepared transposed_product(const Matrix &m, int n, bool with_copy) {
    Best best;
    auto x = std::make_shared<Operands>(m.shape[0], m.shape[1], n);
    attempt_all(best, "transposed ", std::make_shared<Sparse>(m), x, CUSPARSE_OPERATION_TRANSPOSE, n);
    if (with_copy)
        attempt_all(best, "copy ", std::make_shared<Sparse>(transposed(m)), x, CUSPARSE_OPERATION_NON_TRANSPOSE, n);
    return fastest(best);
}

static Prepared transpose(const Matrix &m) {
    auto a = std::make_shared<Sparse>(m);
    auto offsets = array<int>((size_t)a->columns + 1), rows = array<int>((size_t)a->entries);
    auto values = array<float>((size_t)a->entries);
    size_t bytes = 0;
    check(cusparseCsr2cscEx2_bufferSize(library(), (int)a->rows, (int)a->columns, (int)a->entries, a->values.at,
                                        a->offsets.at, a->indices.at, values->at, offsets->at, rows->at, CUDA_R_32F,
                                        CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT,
                                        &bytes));
    auto workspace = array<char>(bytes);
    return {[=] {
                check(cusparseCsr2cscEx2(library(), (int)a->rows, (int)a->columns, (int)a->entries, a->values.at,
                                         a->offsets.at, a->indices.at, values->at, offsets->at, rows->at, CUDA_R_32F,
                                         CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                         CUSPARSE_CSR2CSC_ALG_DEFAULT, workspace->at));
            },
            wait};
}

// --- sorting -----------------------------------------------------------------------------------

enum { THREADS = 256 };

static unsigned blocks_of(long n) {
    return (unsigned)((n + THREADS - 1) / THREADS + (n == 0));
}

__global__ void join_indices(const int *rows, const int *columns, unsigned long long *keys, long n, int bits) {
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = (unsigned long long)rows[i] << bits | (unsigned)columns[i];
}

// Writes the column indices, and the offset of each row.
__global__ void split_keys(const unsigned long long *keys, int *offsets, int *columns, long n, long rows, int bits) {
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    const long row = i < n ? (long)(keys[i] >> bits) : rows, before = i > 0 ? (long)(keys[i - 1] >> bits) : -1;
    if (i < n) columns[i] = (int)(keys[i] & ((1ull << bits) - 1));
    for (long r = before + 1; r <= row; r++)
        offsets[r] = (int)i;
}

static int bits_of(long limit) {
    int bits = 1;
    while ((1l << bits) < limit)
        bits++;
    return bits;
}

// A matrix as entries in a random order.
struct Shuffled {
    long rows, entries;
    int column_bits, bits;
    Array<int> row_of, column_of;
    Array<float> values, sorted_values, sums;
    Array<unsigned long long> keys, sorted_keys, unique_keys;
    Array<int> offsets, columns, count;

    explicit Shuffled(const Matrix &m) : Shuffled(m, order(m)) {}

private:
    Shuffled(const Matrix &m, const std::vector<size_t> &by)
        : rows(m.shape[0]), entries((long)m.data.size()), column_bits(bits_of(m.shape[1])),
          bits(column_bits + bits_of(m.shape[0])), row_of(pick(all_rows(m), by)), column_of(pick(m.indices, by)),
          values(pick(m.data, by)), sorted_values(by.size()), sums(by.size()), keys(by.size()), sorted_keys(by.size()),
          unique_keys(by.size()), offsets((size_t)rows + 1), columns(by.size()), count(1) {}

    static std::vector<int> all_rows(const Matrix &m) {
        std::vector<int> rows(m.data.size());
        for (size_t r = 0; r + 1 < m.indptr.size(); r++)
            std::fill(rows.begin() + m.indptr[r], rows.begin() + m.indptr[r + 1], (int)r);
        return rows;
    }
    static std::vector<size_t> order(const Matrix &m) {
        std::vector<size_t> by(m.data.size());
        for (size_t i = 0; i < by.size(); i++)
            by[i] = i;
        std::shuffle(by.begin(), by.end(), std::mt19937(1));
        return by;
    }
    template <class T> static std::vector<T> pick(const std::vector<T> &from, const std::vector<size_t> &by) {
        std::vector<T> to(by.size());
        for (size_t i = 0; i < by.size(); i++)
            to[i] = from[by[i]];
        return to;
    }
};

static void sort_entries(Shuffled &s, void *workspace, size_t &bytes) {
    check(cub::DeviceRadixSort::SortPairs(workspace, bytes, s.keys.at, s.sorted_keys.at, s.values.at,
                                          s.sorted_values.at, s.entries, 0, s.bits));
}

static void sum_entries(Shuffled &s, void *workspace, size_t &bytes) {
    check(cub::DeviceReduce::ReduceByKey(workspace, bytes, s.sorted_keys.at, s.unique_keys.at, s.sorted_values.at,
                                         s.sums.at, s.count.at, ::cuda::std::plus<>{}, s.entries));
}

// Sorts keys, with only as many bits as the indices need, together with the values; then makes CSR, or
// sums duplicates.
static Prepared sorted(const Matrix &m, bool with_sums) {
    auto s = std::make_shared<Shuffled>(m);
    size_t sort_bytes = 0, sum_bytes = 0;
    sort_entries(*s, nullptr, sort_bytes);
    sum_entries(*s, nullptr, sum_bytes);
    auto workspace = array<char>(std::max(sort_bytes, sum_bytes));
    return {[=] {
                size_t bytes = sort_bytes, more = sum_bytes;
                join_indices<<<blocks_of(s->entries), THREADS>>>(s->row_of.at, s->column_of.at, s->keys.at, s->entries,
                                                                 s->column_bits);
                sort_entries(*s, workspace->at, bytes);
                if (with_sums)
                    sum_entries(*s, workspace->at, more);
                else
                    split_keys<<<blocks_of(s->entries + 1), THREADS>>>(s->sorted_keys.at, s->offsets.at, s->columns.at,
                                                                       s->entries, s->rows, s->column_bits);
                check(cudaGetLastError());
            },
            wait};
}

static Prepared prepare(const std::string &op, std::shared_ptr<Matrix> m, int n) {
    if (op == "spmm") return product(*m, n);
    if (op == "spmm-t") return transposed_product(*m, n, true);
    if (op == "spmm-t-rows") return transposed_product(*m, n, false);
    if (op == "transpose") return transpose(*m);
    if (op == "reorder") return sorted(*m, false);
    if (op == "coalesce") return sorted(*m, true);
    throw NotOffered(op + " is not offered");
}

int main(int, char **arguments) {
    serve(arguments[1], prepare);
}
