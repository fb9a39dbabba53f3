#!/bin/sh
# Indices that are ids: --hash-bits and --compact-ids of every format, in all commands.
. "$(dirname "$0")/checks.sh"
need_device

# ids FROM TO: the rows of two classes, with long numbers for ids, of which no file has all.
ids() {
    two_classes "$2" | tail -n +"$1" | awk '{
        for (i = 2; i <= NF; i++) { split($i, e, ":"); $i = e[1] * e[1] "000000000" e[1] ":" e[2] }
        print
    }'
}
ids 1 200 >"$work/train.svm"
ids 201 300 >"$work/valid.svm"
two_classes 300 | head -n 200 >"$work/plain.svm"
two_classes 300 | tail -n 100 >"$work/plain_valid.svm"

# ---- reading

run inspect "$work/train.svm" --hash-bits 20 --json
check "hashed ids: exits 0" exits 0
check "their columns" json_is cols 1048576
check "their bits" json_is hash_bits 20
run inspect "$work/train.svm" --compact-ids --json --save-ids "$work/map"
check "numbered ids: their columns" json_is cols 30
check "their number" json_is ids 30
check "--save-ids writes them" grep -qx "feature	10000000001" "$work/map"
run inspect "$work/train.svm" --id-map "$work/map" --json
check "--id-map reads them" json_is ids 30
head -n 5 "$work/map" >"$work/short"
run inspect "$work/train.svm" --id-map "$work/short" --json
check "other ids are counted" [ "$(json unknown_ids)" -gt 0 ]
check "and said to be left out" err_has "entries were left out: their ids are none of the 5"
run inspect "$work/train.svm" --hash-bits 3
check "shared columns are reported" err_has "7 of 2^3 columns have more than one id"
run inspect "$work/train.svm" --hash-bits 3 --compact-ids
check "both are refused" err_has "either hashed or numbered"
run inspect "$work/train.svm" --hash-bits 3 --index-base 1
check "an index base is refused" exits 5
check "with the reason" err_has "which are taken as they stand"
check "and no other remedy" err_lacks "to fix it"
run convert "$work/train.svm" "$work/numbered.svm" --compact-ids --to svmlight
run convert "$work/plain.svm" "$work/zero.svm" --to svmlight --compact-ids
check "numbers follow the order of the ids" same "$work/numbered.svm" "$work/zero.svm"
run validate "$work/train.svm" --hash-bits 20
check "validate reads ids" exits 0
for option in "--hash-bits 9" --compact-ids; do
    # shellcheck disable=SC2086
    run convert "$work/train.svm" "$work/ids.sparcl" $option
    # shellcheck disable=SC2086
    run inspect "$work/ids.sparcl" $option --json
    check "$option: the binary form agrees" exits 0
    run inspect "$work/ids.sparcl" --hash-bits 10
    check "$option: with other bits it is refused" err_has "convert the source with them"
done
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '1 1 1' '1 1 1' >"$work/m.mtx"
run inspect "$work/m.mtx" --hash-bits 3
check "a narrow matrix may be made of ids already" err_has "which may be made of ids already"
run inspect "$work/m.mtx" --hash-bits 3 --format smtx
check "a format without ids is refused" err_has "whose columns its shape says"

# ---- training

# trained NAME OPTIONS...: the model NAME of both files with adam
trained() {
    name=$1
    shift
    run train "$@" --optimizer adam --epochs 5 -o "$work/$name" --progress none --json -
}
trained plain "$work/plain.svm" --valid "$work/plain_valid.svm"
loss=$(json valid_loss)
trained numbered "$work/train.svm" --valid "$work/valid.svm" --compact-ids
check "numbered ids: exits 0" exits 0
check "--valid has the same columns" json_is valid_loss "$loss"
trained streamed "$work/train.svm" --valid "$work/valid.svm" --compact-ids --stream --batch 50
check "and with --stream" exits 0
trained mapped "$work/train.svm" --valid "$work/valid.svm" --id-map "$work/map"
check "and with a map" json_is valid_loss "$loss"
trained hashed "$work/train.svm" --valid "$work/valid.svm" --hash-bits 16
check "hashed ids: exits 0" exits 0
check "without collisions the loss is the same" [ "$(printf %.5f "$(json valid_loss)")" = "$(printf %.5f "$loss")" ]

# ---- the model keeps them

run eval "$work/numbered" "$work/valid.svm" --json
check "eval reads the ids of the model" json_is loss "$loss"
run predict "$work/plain" "$work/plain_valid.svm" -o "$work/expected"
for model in numbered streamed mapped; do
    run predict "$work/$model" "$work/valid.svm" -o "$work/found"
    check "predict does with $model" exits 0
done
run predict "$work/numbered" "$work/valid.svm" -o "$work/found"
check "and says nothing of an index base" err_lacks "--index-base"
check "with the same numbers" same "$work/expected" "$work/found"
gzip -c "$work/valid.svm" >"$work/valid.svm.gz"
"$SPARCL" predict "$work/numbered" - <"$work/valid.svm.gz" >"$work/found"
check "also of a pipe" same "$work/expected" "$work/found"
run predict "$work/hashed" "$work/valid.svm" -o "$work/found"
check "predict reads the bits of the model" [ "$(cut -f 1 "$work/expected")" = "$(cut -f 1 "$work/found")" ]
printf '%s\n' '1 5:1 10000000001:2' '0 6:1' >"$work/other.svm"
run predict "$work/numbered" "$work/other.svm"
check "unknown ids are no error" exits 0
check "but counted" err_has "2 entries were left out: their ids are none of the 30"
run eval "$work/numbered" "$work/other.svm"
check "also by eval" err_has "2 entries were left out"
run predict "$work/numbered" "$work/m.mtx"
check "a matrix that may be made of other ids is refused" err_has "which may be made of ids already"
# to FORMAT IN OUT OPTIONS...: a matrix without the labels
to() {
    to=$1 in=$2 out=$3
    shift 3
    run convert "$in" "$out" --to "$to" --labels-to "$work/labels.npy" "$@"
}
for format in npz mtx; do
    to "$format" "$work/valid.svm" "$work/ids.$format" --id-map "$work/map"
    rm -f "$work/found"
    run predict "$work/numbered" "$work/ids.$format" -o "$work/found"
    check "$format of the same ids is read" same "$work/expected" "$work/found"
    run predict "$work/hashed" "$work/ids.$format"
    check "$format: but not by a model of hashes" err_has "expected columns made of ids as hash_bits 16 says"
    to "$format" "$work/other.svm" "$work/others.$format" --compact-ids
    run predict "$work/numbered" "$work/others.$format"
    check "$format of other ids is refused" err_has "convert its source with the hash bits or the map"
    run predict "$work/hashed" "$work/valid.svm" -o "$work/expected_hashed"
    to "$format" "$work/valid.svm" "$work/hashes.$format" --hash-bits 16
    rm -f "$work/found"
    run predict "$work/hashed" "$work/hashes.$format" -o "$work/found"
    check "$format of the same hashes is read" same "$work/expected_hashed" "$work/found"
    to "$format" "$work/valid.svm" "$work/hashes.$format" --hash-bits 17
    run predict "$work/hashed" "$work/hashes.$format"
    check "$format of other bits is refused" err_has 'converted with "hash_bits 17"'
    to "$format" "$work/valid.svm" "$work/raw.$format" --index-base 0
    rm -f "$work/found"
    run predict "$work/numbered" "$work/raw.$format" -o "$work/found"
    check "$format: its columns are ids" same "$work/expected" "$work/found"
    rm -f "$work/found"
    run predict "$work/hashed" "$work/raw.$format" -o "$work/found"
    check "$format: which are hashed" same "$work/expected_hashed" "$work/found"
    run inspect "$work/raw.$format" --compact-ids --json
    check "$format: or numbered" [ "$(json ids)" = "$(json cols)" ]
done
run convert "$work/valid.svm" "$work/valid.sparcl" --id-map "$work/map"
run predict "$work/numbered" "$work/valid.sparcl" -o "$work/found"
check "the binary form with these ids is read" same "$work/expected" "$work/found"
run convert "$work/other.svm" "$work/other.sparcl" --compact-ids
run predict "$work/numbered" "$work/other.sparcl"
check "with other ids it is refused" exits 5
for name in numbered hashed; do
    run train "$work/valid.svm" --start "$work/$name" --optimizer adam --epochs 1 -o "$work/more" --progress none
    check "$name: --start reads as its model" exits 0
    run predict "$work/more" "$work/train.svm"
    check "$name: which the new model keeps" exits 0
done
run train "$work/train.svm" --compact-ids -o "$work/auto" --progress none
run predict "$work/auto" "$work/valid.svm"
check "so does a search for settings" exits 0
run train "$work/train.svm" --compact-ids --solver lbfgs -o "$work/lbfgs" --progress none
run predict "$work/lbfgs" "$work/valid.svm"
check "and lbfgs" exits 0

# ---- what loses ids is noted

run convert "$work/valid.svm" "$work/lost.svm" --to svmlight --hash-bits 16
check "text of hashes says so" err_has "a model of --hash-bits hashes them again"
run convert "$work/valid.svm" "$work/lost.npz" --to npz
check "ids that are shifted are noted" err_has "--index-base 0 keeps ids"
run convert "$work/valid.svm" "$work/kept.npz" --to npz --index-base 0
check "but not those that are kept" err_lacks "--index-base 0 keeps ids"

# ---- too many columns

# The address sanitizer ends a program that asks for so much, where malloc returns NULL.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1"
printf '%s\n' '1 99999999999999:1 5:2' '0 5:1 7:3' '1 3:2' '0 12:1' >"$work/wide.svm"
for options in "" "--optimizer adam" "--solver lbfgs"; do
    # shellcheck disable=SC2086
    run train "$work/wide.svm" $options -o "$work/none" --progress none
    check "$options: columns that no memory holds exit 6" exits 6
    check "$options: hashing is proposed, with its bytes" err_has "--hash-bits 18: 1048576 bytes"
    check "$options: so is numbering" err_has "--compact-ids: 20 bytes, for 5 different ids"
    check "$options: smaller batches are not" err_lacks "--batch"
done
run train "$work/wide.svm" --stream --optimizer adam -o "$work/none" --progress none
check "ids of a stream are not counted" err_has "4 bytes for each different id"
run train "$work/wide.svm" --compact-ids --optimizer adam -o "$work/none" --progress none
check "with them it trains" exits 0

finish
