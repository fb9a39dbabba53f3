// Eigen with OpenMP: answers the runner's lines as peer.py does. usage: peer_eigen CASEFOLDER
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using Csr = Eigen::SparseMatrix<float, Eigen::RowMajor, int>;
using Dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;
using Call = std::function<void()>;

template <class T> std::vector<T> read(const std::string &path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error(path + " is not there");
    std::vector<T> values((size_t)file.tellg() / sizeof(T));
    file.seekg(0);
    file.read((char *)values.data(), (std::streamsize)(values.size() * sizeof(T)));
    return values;
}

struct Matrix {
    std::vector<long> shape;
    std::vector<int> indptr, indices;
    std::vector<float> data;
    explicit Matrix(const std::string &path)
        : shape(read<long>(path + ".shape")), indptr(read<int>(path + ".indptr")),
          indices(read<int>(path + ".indices")), data(read<float>(path + ".data")) {}
    Eigen::Map<const Csr> view() const {
        return {shape[0], shape[1], (long)data.size(), indptr.data(), indices.data(), data.data()};
    }
};

template <class Operand, class A> Call product(A a, long rows, long columns, int n) {
    auto b = std::make_shared<Operand>(Operand::Random(columns, n));
    auto c = std::make_shared<Operand>(rows, n);
    return [=] { c->noalias() = a() * *b; };
}

static Call prepare(const std::string &op, std::shared_ptr<Matrix> m, int n) {
    auto plain = [m] { return m->view(); };
    auto transposed = [m] { return m->view().transpose(); };
    const long rows = m->shape[0], columns = m->shape[1];
    if (op == "spmm" && n == 1) return product<Vector>(plain, rows, columns, n);
    if (op == "spmm") return product<Dense>(plain, rows, columns, n);
    if (op == "spmm-t" && n == 1) return product<Vector>(transposed, columns, rows, n);
    if (op == "spmm-t") return product<Dense>(transposed, columns, rows, n);
    if (op == "transpose") return [m] { Csr result = m->view().transpose(); };
    return nullptr;
}

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A call that does not count, then calls until the seconds are over, at least 3 and at most 200.
static double turn(const Call &call, double budget, int together) {
    std::vector<double> times;
    call();
    const double start = now();
    while (times.size() < 3 || (times.size() < 200 && now() - start < budget)) {
        const double begin = now();
        for (int i = 0; i < together; i++)
            call();
        times.push_back((now() - begin) / together);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main(int, char **arguments) {
    std::string line, verb, op, name, optimizer;
    Call call;
    int n = 0, together = 1;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        words >> verb;
        if (verb == "open") {
            words >> op >> name >> n >> optimizer >> together;
            call = prepare(op, std::make_shared<Matrix>(std::string(arguments[1]) + "/" + name), n);
            if (call) call();
            std::cout << (call ? "ok" : "no " + op) << std::endl;
        } else if (verb == "time") {
            double budget = 0;
            words >> budget;
            std::cout << turn(call, budget, together) << std::endl;
        } else {
            call = nullptr;
            std::cout << "ok" << std::endl;
        }
    }
}
