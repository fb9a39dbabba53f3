#!/bin/sh
# Equal runs make the same model file, byte for byte, on every OpenCL implementation: the files' checksums are
# in same_bits.sha256. When the numerics are changed on purpose, SPARCL_WRITE_SUMS=1 with any implementation
# writes them again.
. "$(dirname "$0")/checks.sh"
sums=$(dirname "$0")/same_bits.sha256
device=${SPARCL_TEST_DEVICE:-auto}
if [ ! -e "$EXAMPLE_DATA/heart_scale" ]; then
    echo "skipped: no data sets in $EXAMPLE_DATA (a source package has none)"
    exit 77
fi
if [ "$device" = gpu ]; then
    run devices --json
    grep -q '"types": "gpu"' "$work/out" || {
        echo "skipped: no GPU"
        exit 77
    }
fi

# A simulator is slow: it gets only a few rows.
if [ -n "${SPARCL_TEST_SMALL:-}" ]; then sizes=small; else sizes="small whole"; fi
head -n 40 "$EXAMPLE_DATA/heart_scale" >"$work/small.svm"
cp "$EXAMPLE_DATA/heart_scale" "$work/whole.svm"

same_model() { # same_model NAME DATA OPTIONS...
    name=$1 data=$2
    shift 2
    run train "$data" -o "$work/model" --device "$device" "$@"
    check "$name: train exits 0" exits 0
    sum=$(sha256sum <"$work/model" | cut -d ' ' -f 1)
    if [ -n "${SPARCL_WRITE_SUMS:-}" ]; then
        grep -sv " $name\$" "$sums" >"$work/sums"
        { cat "$work/sums" && echo "$sum $name"; } | sort -k 2 >"$sums"
    fi
    expected=$(sed -n "s/ $name\$//p" "$sums")
    check "$name: its model is the same as everywhere ($sum)" [ "$sum" = "$expected" ]
}

# Every optimizer, and every loss.
for size in $sizes; do
    heart=$work/$size.svm
    same_model "$size"-sgd-l2 "$heart" --epochs 2 --batch 16 --l2 0.01
    same_model "$size"-momentum-l2 "$heart" --epochs 2 --batch 16 --optimizer momentum --l2 0.01 --seed 7
    same_model "$size"-adagrad-squared "$heart" --epochs 2 --batch 16 --optimizer adagrad --loss squared
    same_model "$size"-adam-softmax "$heart" --epochs 2 --batch 16 --optimizer adam --loss softmax
    same_model "$size"-full-no-bias "$heart" --epochs 2 --batch full --no-bias
done
if [ -z "${SPARCL_TEST_SMALL:-}" ]; then
    same_model agaricus "$EXAMPLE_DATA/agaricus.train.gz" --epochs 3 --batch 1024 --optimizer adam --lr 0.05
    same_model a9a "$EXAMPLE_DATA/a9a.gz" --epochs 2 --batch 1024 --columns 123 --lr 0.5 --l2 0.0001
    cp "$work/model" "$work/before"
    same_model a9a "$EXAMPLE_DATA/a9a.gz" --epochs 2 --batch 1024 --columns 123 --lr 0.5 --l2 0.0001 --device-memory 64K
    check "data on the host make no difference" same "$work/model" "$work/before"
fi
finish
