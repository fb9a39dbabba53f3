/* openmp_rest.h: the threads of PyTorch's OpenMP rest while something else computes. */
#ifndef SPARCL_PYTHON_OPENMP_REST_H
#define SPARCL_PYTHON_OPENMP_REST_H

#include <functional>

/* Call a function while the other threads of GNU's OpenMP, if it is loaded, rest in a parallel
 * region. For some milliseconds after their last work (GOMP_SPINCOUNT) they else spin, on the cores
 * that a CPU device computes with. The function must not throw. */
void while_openmp_rests(const std::function<void()> &call);

#endif
