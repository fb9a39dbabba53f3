#!/bin/bash
# add_operation.sh BUILD: an operation that tools/dev/add-operation adds to a copy of the sources builds, and passes its
# sweep and its test; it has at most 4 new files and 8 edited ones, all named in docs/adding-an-operation.md.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1/add_operation tree=$1/add_operation/tree
name=one_more kind=elements
command -v python3 >/dev/null || { echo "skipped: python3 is not installed" && exit 77; }
rm -rf "$work"
mkdir -p "$tree"
cd "$root"
tar -c .clang-format CHANGELOG.md CMakeLists.txt CMakePresets.json bindings cl docs include src tests tools | tar -x -C "$tree"
touch "$work/before"
cd "$tree"
on() { implementation=$1 && shift && tests/on_device.sh "$implementation" "build/release/tests/$1" "${@:2}"; }

tools/dev/add-operation "$name" "$kind"
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
cmake --preset release -DSPARCL_TRAIN=OFF -DSPARCL_EXAMPLES=OFF >"$work/configure.log"
cmake --build --preset release --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-2}" --target sparcl_shared sweep "test_$name" test_acceptance_arguments -- --quiet

# Without its sums the sweep fails, and prints them.
code=0
on pocl sweep "$name" >"$work/sweep.log" || code=$?
[ "$code" -ne 77 ] || { cat "$work/sweep.log" && exit 77; }
[ "$code" -ne 0 ] || { echo "the sweep passes without sums" && exit 1; }
sed -n 's/^sha256 //p' "$work/sweep.log" | LC_ALL=C sort -k 2 -m - tests/sweep/sweep.sha256 >"$work/sums"
cp "$work/sums" tests/sweep/sweep.sha256
on pocl sweep "$name"
on pocl-gpu-class sweep "$name"
on pocl "test_$name"
grep -q "\"elements+$name\"" build/release/kernels/programs.c || { echo "its program is not found in the sources" && exit 1; }
for rule in every_call kinds names tiers; do "tests/lint/lint_$rule.sh"; done

find . -path ./build -prune -o -type f -newer "$work/before" -print | sed 's,^\./,,' | sort >"$work/touched"
new=0 edited=0
while read -r file; do
    if [ -e "$root/$file" ]; then edited=$((edited + 1)); else new=$((new + 1)); fi
    general=$(echo "$file" | sed "s,$name,x,; s,/$kind\b,/<kind>,")
    grep -qF "\`$general\`" docs/adding-an-operation.md || { echo "docs/adding-an-operation.md does not name $general" && exit 1; }
done <"$work/touched"
echo "$new new files, $edited edited"
if [ "$new" -ne 4 ] || [ "$edited" -ne 8 ]; then cat "$work/touched" && exit 1; fi
