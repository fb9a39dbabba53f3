#!/bin/sh
# sparcl convert --to npz and mtx: SciPy reads what is written, where it is installed.
. "$(dirname "$0")/checks.sh"

python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
    "$candidate" -c 'import scipy.sparse' 2>/dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
    echo "skipped: no Python with SciPy is installed"
    exit 77
fi
printf '%s\n' '1 1:0.5 3:2' '-1 ' '2 2:-1e-30 5:16777217' >"$work/a.svm"
run convert "$work/a.svm" "$work/a.npz" --to npz
check "an archive is written" exits 0
run convert "$work/a.svm" "$work/a.mtx" --to mtx --labels-to "$work/y.npy"
check "Matrix Market and labels are written" exits 0
check "SciPy reads the same numbers from both" "$python" - "$work" <<'END'
import sys
import numpy as np, scipy.io, scipy.sparse as sp
folder = sys.argv[1]
matrix = sp.load_npz(folder + "/a.npz")
assert matrix.format == "csr" and matrix.dtype == np.float32 and matrix.indices.dtype == np.int32
want = np.zeros((3, 5), np.float32)
want[0, 0], want[0, 2], want[2, 1], want[2, 4] = 0.5, 2, -1e-30, 16777217
assert (matrix.toarray() == want).all() and matrix.has_sorted_indices
other = scipy.io.mmread(folder + "/a.mtx")
assert other.shape == (3, 5) and (other.toarray().astype(np.float32) == want).all()
for labels in np.load(folder + "/a.npz")["labels"], np.load(folder + "/y.npy"):
    assert labels.dtype == np.float64 and labels.tolist() == [1, -1, 2]
END
finish
