#!/bin/sh
# A damaged cache of PoCL ends the process in the driver, and the tool prints how to fix it. Every file is truncated to 10 bytes, as after a full disk, or is empty, as after a power cut.
. "$(dirname "$0")/checks.sh"
need_device

SPARCL_CACHE_DIR=$work/own
export POCL_CACHE_DIR="$work/pocl's cache"
mkdir "$SPARCL_CACHE_DIR" "$POCL_CACHE_DIR"
data=$EXAMPLE_DATA/agaricus.train.gz

bench() { run bench spmm --generate uniform:1000x1000x5 -n 16 --repeat 3; }
train() { run train "$data" --epochs 1 -o "$work/$1"; }
cut_files() { find "$1" -type f -exec truncate -s "${2:-10}" {} +; } # cut_files FOLDER [BYTES]
# shellcheck disable=SC2317 # called by name
has_fix() { grep -F "rm -rf '" "$1" | grep -qF "pocl'\\''s cache'/[A-P][A-P]"; }

train first
check "with new caches: exit 0" exits 0
check "PoCL's programs are not in sparcl's cache" [ -z "$(ls "$SPARCL_CACHE_DIR")" ]
bench # its kernels are others than those of a training
cut_files "$POCL_CACHE_DIR"
train third
if [ "$code" -eq 0 ]; then
    echo "This version of PoCL works with a damaged cache."
    check "PoCL's cache is damaged: the same model" same "$work/first" "$work/third"
    finish
fi
for command in train bench eval; do
    cut_files "$POCL_CACHE_DIR"
    case $command in
    train) train third ;;
    bench) bench ;;
    eval) run eval "$work/first" "$data" ;;
    esac
    check "PoCL's cache is damaged: SIGABRT ends $command" exits 134
    check "PoCL's cache is damaged: $command prints how to fix it" has_fix "$work/err"
    check "PoCL's cache is damaged: $command suggests the doctor" err_has "sparcl doctor"
done

run doctor --progress none
check "PoCL's cache is damaged: the doctor exits 1" exits 1
check "PoCL's cache is damaged: the verdict names the folder" out_has "$POCL_CACHE_DIR is damaged"
check "PoCL's cache is damaged: the verdict has the fix" has_fix "$work/out"
: >"$POCL_CACHE_DIR/mine"
sh -c "$(sed -n '1s/.*: \(rm -rf .*\)/\1/p' "$work/out")"
check "the command keeps files that are not PoCL's" [ -e "$POCL_CACHE_DIR/mine" ]
train fourth
check "after the command: exit 0" exits 0
check "after the command: the same model" same "$work/first" "$work/fourth"

# Empty files: PoCL then has programs without kernels.
cut_files "$POCL_CACHE_DIR" 0
train third
check "PoCL's cache is empty: no kernel is built" exits 7
check "PoCL's cache is empty: the message names the cache" err_has "kernel cache is damaged"
check "PoCL's cache is empty: it has the fix" has_fix "$work/err"
run doctor --progress none
check "PoCL's cache is empty: the doctor exits 1" exits 1
check "PoCL's cache is empty: the verdict names the folder" out_has "$POCL_CACHE_DIR is damaged"
check "PoCL's cache is empty: one finding" [ "$(grep -c '^FAILED ' "$work/out")" -eq 1 ]
sh -c "$(sed -n '1s/.*: \(rm -rf .*\)/\1/p' "$work/out")"
train fourth
check "after the command: exit 0" exits 0
check "after the command: the same model" same "$work/first" "$work/fourth"

# Without POCL_CACHE_DIR.
mkdir -p "$work/xdg/pocl"
mv "$POCL_CACHE_DIR" "$work/xdg/pocl/kcache"
unset POCL_CACHE_DIR
export XDG_CACHE_HOME="$work/xdg"
train fifth
check "the folder of XDG_CACHE_HOME: exit 0" exits 0
cut_files "$XDG_CACHE_HOME/pocl/kcache"
train fifth
check "the folder of XDG_CACHE_HOME: ended by SIGABRT" exits 134
check "the folder of XDG_CACHE_HOME is named" err_has "rm -rf '$XDG_CACHE_HOME/pocl/kcache'"
sh -c "$(sed -n 's/.*: \(rm -rf .*\)/\1/p' "$work/err")"
check "the folder of XDG_CACHE_HOME: the command removes it" no_file "$XDG_CACHE_HOME/pocl/kcache"
finish
