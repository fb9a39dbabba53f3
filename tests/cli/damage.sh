#!/bin/sh
# Damaged caches of compiled kernels: our own is built anew; PoCL's ends the process inside the driver,
# and then the tool says how to fix it. Every file is cut to 10 bytes, as after a full disk.
. "$(dirname "$0")/checks.sh"
need_device

SPARCL_CACHE_DIR=$work/own
export POCL_CACHE_DIR="$work/pocl's cache"
mkdir "$SPARCL_CACHE_DIR" "$POCL_CACHE_DIR"
data=$EXAMPLE_DATA/agaricus.train.gz

train() { run train "$data" --epochs 1 -o "$work/$1"; }
cut_files() { find "$1" -type f -exec truncate -s 10 {} +; }
# shellcheck disable=SC2317 # called by name
says_fix() { grep -F "rm -rf '" "$1" | grep -qF "pocl'\\''s cache'/[A-P][A-P]"; }

train first
check "with new caches: exit 0" exits 0
cut_files "$SPARCL_CACHE_DIR"
train second
check "our own cache is damaged: exit 0" exits 0
check "our own cache is damaged: nothing is said" no_line_matches "$work/err" "damaged|note"
check "our own cache is damaged: the same model" same "$work/first" "$work/second"

run devices
if ! out_has "Portable Computing Language"; then
    echo "The rest is for PoCL."
    finish
fi
cut_files "$POCL_CACHE_DIR"
train third
if [ "$code" -eq 0 ]; then
    echo "This PoCL is not harmed by a damaged cache."
    check "PoCL's cache is damaged: the same model" same "$work/first" "$work/third"
    finish
fi
for way in train bench eval; do
    cut_files "$POCL_CACHE_DIR"
    case $way in
    train) train third ;;
    bench) run bench spmm --generate uniform:1000x1000x5 -n 16 --repeat 3 ;;
    eval) run eval "$work/first" "$data" ;;
    esac
    check "PoCL's cache is damaged: $way is still ended by SIGABRT" exits 134
    check "PoCL's cache is damaged: $way says how to fix it" says_fix "$work/err"
    check "PoCL's cache is damaged: $way names the doctor" err_has "sparcl doctor"
done

run doctor --progress none
check "PoCL's cache is damaged: the doctor exits 1" exits 1
check "PoCL's cache is damaged: the verdict names the folder" out_has "$POCL_CACHE_DIR is damaged"
check "PoCL's cache is damaged: the verdict says how to fix it" says_fix "$work/out"
: >"$POCL_CACHE_DIR/mine"
sh -c "$(sed -n '1s/.*: \(rm -rf .*\)/\1/p' "$work/out")"
check "the command leaves what is not PoCL's" [ -e "$POCL_CACHE_DIR/mine" ]
train fourth
check "after the command: exit 0" exits 0
check "after the command: the same model" same "$work/first" "$work/fourth"

# Where no variable names the folder.
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
