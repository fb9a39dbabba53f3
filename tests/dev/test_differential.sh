#!/bin/sh
# test_differential.sh SPARCL: tools/dev/differential, with the Python that has SciPy and scikit-learn.
for python in "${SPARCL_PYTHON:-none}/bin/python" python3; do
    command -v "$python" >/dev/null && "$python" -c 'import scipy, sklearn' 2>/dev/null && break
done
exec "$python" "$(dirname "$0")/../../tools/dev/differential" --sparcl "$1"
