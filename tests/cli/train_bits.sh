#!/bin/sh
# The same model file over ten runs, on 1 and 2 threads, with the data on the device or on the host, with and
# without validation data. And the files after an interrupt.
. "$(dirname "$0")/checks.sh"
need_device
if [ ! -e "$EXAMPLE_DATA/a9a.gz" ]; then
    echo "skipped: no data sets in $EXAMPLE_DATA (a source package has none)"
    exit 77
fi
data=$EXAMPLE_DATA/a9a.gz
first=$work/first
compare=same

# train_as NAME OPTIONS...: repeat the run, into $work/again.
train_as() {
    name=$1
    shift
    run train "$data" -o "$work/again" --columns 123 --epochs 2 --batch 256 --optimizer momentum \
        --l2 0.0001 --seed 3 --progress none --json - "$@"
    check "$name: train exits 0" exits 0
    [ -e "$first" ] || cp "$work/again" "$first"
    check "$name: the model is the same" "$compare" "$first" "$work/again"
    rm -f "$work/again"
}

for i in 1 2 3 4 5 6 7 8 9 10; do
    train_as "run $i"
done
threads=${POCL_MAX_PTHREAD_COUNT:-}
export POCL_MAX_PTHREAD_COUNT=1
train_as "on 1 thread"
export POCL_MAX_PTHREAD_COUNT=2
train_as "on 2 threads"
unset POCL_MAX_PTHREAD_COUNT
[ -z "$threads" ] || export POCL_MAX_PTHREAD_COUNT="$threads"
check "the data are on the device" json_is data_on_host false
train_as "with 1 MiB for the data" --device-memory 1M
check "the data stay on the host" json_is data_on_host true
train_as "with 64 KiB for the data" --device-memory 64K
compare=same_but_notes
train_as "with validation data" --valid "$EXAMPLE_DATA/a9a.t.gz"
compare=same

# 16 MiB are not enough for five times the data: 22 MB on the device.
first=$work/first_large data=$work/large
for i in 1 2 3 4 5; do
    gzip -dc "$EXAMPLE_DATA/a9a.gz"
done >"$data"
train_as "five times the data"
check "they are on the device" json_is data_on_host false
cp "$work/out" "$work/there"
train_as "five times the data with 16 MiB" --device-memory 16M
check "they stay on the host" json_is data_on_host true
loss=$(json loss)
cp "$work/there" "$work/out"
check "the loss of the final model is the same" json_is loss "$loss"
run train "$data" -o "$work/again" --columns 123 --batch full --device-memory 16M
check "a full batch that does not fit exits 6" exits 6
check "before the first step" err_lacks examples/s
first=$work/first data=$EXAMPLE_DATA/a9a.gz

# An interrupt: an older model of that name stays, and no temporary file is left.
mkdir "$work/models"
cp "$first" "$work/models/model"
begin train "$data" -o "$work/models/model" --columns 123 --epochs 1000 --batch 64
kill -INT $child
end
check "an interrupted run exits 9" exits 9
check "and prints that the model was not written" err_has "models/model was not written"
check "the older model stays" same "$first" "$work/models/model"
check "and no other file" [ "$(ls "$work/models")" = model ]
finish
