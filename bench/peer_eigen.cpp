// Eigen with OpenMP. usage: peer_eigen CASEFOLDER
#include <Eigen/Dense>
#include <Eigen/Sparse>

#include "peer_serve.hpp"

using Csr = Eigen::SparseMatrix<float, Eigen::RowMajor, int>;
using Dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

static Eigen::Map<const Csr> view(const Matrix &m) {
    return {m.shape[0], m.shape[1], (long)m.data.size(), m.indptr.data(), m.indices.data(), m.data.data()};
}

template <class Operand, class A> Prepared product(A a, long rows, long columns, int n) {
    auto b = std::make_shared<Operand>(Operand::Random(columns, n));
    auto c = std::make_shared<Operand>(rows, n);
    return {[=] { c->noalias() = a() * *b; }};
}

static Prepared prepare(const std::string &op, std::shared_ptr<Matrix> m, int n) {
    auto plain = [m] { return view(*m); };
    auto transposed = [m] { return view(*m).transpose(); };
    const long rows = m->shape[0], columns = m->shape[1];
    if (op == "spmm" && n == 1) return product<Vector>(plain, rows, columns, n);
    if (op == "spmm") return product<Dense>(plain, rows, columns, n);
    if (op == "spmm-t" && n == 1) return product<Vector>(transposed, columns, rows, n);
    if (op == "spmm-t") return product<Dense>(transposed, columns, rows, n);
    if (op == "transpose") return {[m] { Csr result = view(*m).transpose(); }};
    throw NotOffered(op + " is not offered");
}

int main(int, char **arguments) {
    serve(arguments[1], prepare);
}
