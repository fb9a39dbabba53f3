// peer_serve.hpp: the common code of the peers written in C++: it reads cases, and implements the
// protocol that peer.py documents.
#ifndef PEER_SERVE_HPP
#define PEER_SERVE_HPP

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// An operation with its operands in memory: a call, and a function that waits for its result.
struct Prepared {
    std::function<void()> call, finish = [] {};
};

struct Matrix {
    std::vector<long> shape;
    std::vector<int> indptr, indices;
    std::vector<float> data;
    explicit Matrix(const std::string &path)
        : shape(read<long>(path + ".shape")), indptr(read<int>(path + ".indptr")),
          indices(read<int>(path + ".indices")), data(read<float>(path + ".data")) {}

private:
    template <class T> static std::vector<T> read(const std::string &path) {
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        if (!file) throw std::runtime_error(path + " does not exist");
        std::vector<T> values((size_t)file.tellg() / sizeof(T));
        file.seekg(0);
        file.read((char *)values.data(), (std::streamsize)(values.size() * sizeof(T)));
        return values;
    }
};

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double seconds_of(const Prepared &p, int in_flight) {
    const double begin = now();
    for (int i = 0; i < in_flight; i++)
        p.call();
    p.finish();
    return (now() - begin) / in_flight;
}

// One call that is not timed, then timed calls until the budget (seconds) is spent, at least 3 and at
// most 200. Returns the median.
inline double turn(const Prepared &p, double budget, int in_flight) {
    std::vector<double> times;
    seconds_of(p, 1);
    const double start = now();
    while (times.size() < 3 || (times.size() < 200 && now() - start < budget))
        times.push_back(seconds_of(p, in_flight));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Thrown if the peer does not have the operation.
struct NotOffered : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Serves standard input. prepare(op, matrix, n) returns a Prepared.
template <class Prepare> void serve(const std::string &folder, Prepare prepare) {
    std::string line, verb, op, name, optimizer;
    std::unique_ptr<Prepared> prepared;
    int n = 0, in_flight = 1;
    const auto handle = [&](std::istringstream &words) -> std::string {
        words >> verb;
        if (verb == "time") {
            std::ostringstream seconds;
            double budget = 0;
            words >> budget;
            seconds << turn(*prepared, budget, in_flight);
            return seconds.str();
        }
        prepared.reset();
        if (verb == "open") {
            words >> op >> name >> n >> optimizer >> in_flight;
            prepared = std::make_unique<Prepared>(prepare(op, std::make_shared<Matrix>(folder + "/" + name), n));
            seconds_of(*prepared, 1);
        }
        return "ok";
    };
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        try {
            std::cout << handle(words) << std::endl;
        } catch (const std::exception &error) {
            prepared.reset();
            std::cout << "no " << error.what() << std::endl;
        }
    }
}

#endif
