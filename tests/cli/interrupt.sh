#!/bin/sh
# Interrupts: SIGTERM and SIGHUP are one, a second one ends immediately, and no command leaves an incomplete file.
. "$(dirname "$0")/checks.sh"
need_device

printf '%s\n' '1 1:1' '-1 2:1' '1 3:1' >"$work/data.svm"
for signal in TERM HUP USR1; do
    begin train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1
    kill -$signal $child
    end
    check "SIG$signal exits 9" exits 9
    check "and is reported once" [ "$(grep -c interrupted "$work/err")" -eq 1 ]
    check "and writes no model" no_file "$work/m"
done

# The process is stopped while both signals are sent, so that no step can end between them.
begin train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1
kill -STOP $child
kill -INT $child
kill -TERM $child
kill -CONT $child
end
check "two interrupts exit 9" exits 9
check "and write no model" no_file "$work/m"

# While the first kernels are compiled, for seconds: the caches are empty.
mkdir "$work/cold"
SPARCL_CACHE_DIR='' POCL_CACHE_DIR=$work/cold "$SPARCL" train "$work/data.svm" --loss logistic --model mlp:hidden=8 -o "$work/m" --epochs 1 \
    --checkpoint "$work/none" >"$work/out" 2>"$work/err" &
child=$!
sleep 0.7
kill -INT $child
began=$(date +%s%N)
end
check "SIGINT during a compilation exits 9" exits 9
check "within two seconds" [ $(($(date +%s%N) - began)) -lt 2000000000 ]
check "and writes no model" no_file "$work/m"
check "and no checkpoint" no_file "$work/none"

# With a checkpoint the step ends first, which is said at once.
begin train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1 --checkpoint "$work/steps"
kill -INT $child
end
check "SIGINT with a checkpoint exits 9" exits 9
check "it says that the step ends first" err_has "ending after this step"
check "and writes the checkpoint" [ -s "$work/steps" ]

# Two at once, as timeout sends them to a process and to its group, are one interrupt.
begin train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1 --checkpoint "$work/twice"
kill -STOP $child
kill -INT $child
kill -TERM $child
kill -CONT $child
end
check "two interrupts at once with a checkpoint exit 9" exits 9
check "it says that the step ends first" err_has "ending after this step"
check "and writes the checkpoint" [ -s "$work/twice" ]

# LLVM, in drivers, takes SIGINT and SIGTERM for itself while it compiles. So only the thread that waits for them does not block them.
begin train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1
sed -n 's/^SigBlk:[[:space:]]*........//p' "/proc/$child/task/"*/status >"$work/masks"
open=0
while read -r mask; do
    [ $((0x$mask & 0x4203)) -eq $((0x4203)) ] || open=$((open + 1))
done <"$work/masks"
check "one thread takes the signals" [ $open -eq 1 ]
kill -TERM $child
end

# Each command that writes a file, while it is written: until its temporary file is there it runs, then it is stopped.
run train "$work/data.svm" -o "$work/model" --epochs 1 --progress none
awk 'BEGIN { for (i = 0; i < 600000; i++) print "1 1:" i }' >"$work/many.svm"
mkdir "$work/lines"
interrupt() { # interrupt SIGNAL ARGS...
    sent=$1 caught=0 tries=0 seen=0
    shift
    while [ $caught -eq 0 ] && [ $tries -lt 20 ]; do
        rm -f "$work"/lines/*
        tries=$((tries + 1))
        "$SPARCL" "$@" >"$work/out" 2>"$work/err" &
        child=$!
        while kill -0 $child 2>/dev/null && [ -z "$(ls "$work/lines")" ]; do :; done
        kill -STOP $child 2>/dev/null
        [ -z "$(find "$work/lines" -name '*.tmp')" ] || caught=1 seen=1
        kill "-$sent" $child 2>/dev/null
        kill -CONT $child 2>/dev/null
        end
        [ "$code" -ne 0 ] || caught=0 # it ended before the signal came
    done
    [ $seen -eq 0 ] || caught=1
    [ $caught -eq 1 ] || echo "note    $1 was too fast to be interrupted while it writes"
    [ $caught -eq 1 ] || return
    check "an interrupted $1 exits 9 (SIG$sent)" exits 9
    if [ -e "$work/lines/file" ]; then # the signal came late
        check "and names the file that was written" err_has "lines/file was written before that"
        mv "$work/lines/file" "$work/late"
        check "and leaves nothing else" [ -z "$(ls "$work/lines")" ]
        "$SPARCL" "$@" >"$work/out" 2>"$work/err"
        check "which is complete" cmp -s "$work/late" "$work/lines/file"
    else
        check "and names the file that was not written" err_has "lines/file was not written"
        check "and leaves nothing" [ -z "$(ls "$work/lines")" ]
    fi
}
for signal in INT TERM HUP; do
    interrupt "$signal" predict "$work/model" "$work/many.svm" -o "$work/lines/file"
    interrupt "$signal" convert "$work/many.svm" "$work/lines/file" --to svmlight
done
interrupt TERM sample "$work/many.svm" -n 500000 -o "$work/lines/file"
interrupt TERM split "$work/many.svm" --fraction 0.01 -o "$work/lines/file" "$work/held"
interrupt TERM validate "$work/many.svm" --fix "$work/lines/file"
interrupt USR1 convert "$work/many.svm" "$work/lines/file"

# While it reads: from a pipe that does not end.
mkfifo "$work/pipe"
for signal in INT TERM HUP USR1; do
    rm -f "$work"/lines/*
    "$SPARCL" convert "$work/pipe" "$work/lines/file" >"$work/out" 2>"$work/err" &
    child=$!
    exec 9>"$work/pipe" # when it has opened it
    echo '1 1:1' >&9
    kill -$signal $child
    end
    exec 9>&-
    check "SIG$signal while it reads exits 9" exits 9
    check "and nothing is left" [ -z "$(ls "$work/lines")" ]
done

# What nohup has made deaf to a closed terminal goes on.
(trap '' HUP && exec "$SPARCL" train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1 >"$work/out" 2>"$work/err") &
child=$!
tries=0
while [ $tries -lt 300 ] && ! grep -qs examples/s "$work/err"; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -HUP $child
sleep 0.3
check "with nohup SIGHUP is ignored" kill -0 $child
kill -TERM $child
end
check "but SIGTERM is not" exits 9

# A limit of file sizes is an error, not a signal.
(
    ulimit -f 20 # of 512 bytes
    run convert "$work/many.svm" "$work/lines/file"
    echo "$code" >"$work/code"
)
code=$(cat "$work/code")
check "a limit of file sizes exits 1" exits 1
check "and is the cause" err_has "lines/file: cannot be written: File too large"
check "and nothing is left" [ -z "$(ls "$work/lines")" ]
finish
