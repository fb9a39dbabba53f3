#!/bin/sh
# What commands write: each output of each command against each of its inputs and other outputs, by all kinds of names for one
# file; names that cannot be written; standard output; settings files. All is refused before anything is read: the inputs here are
# no data, and no device is needed.
. "$(dirname "$0")/checks.sh"
d=$work/d

# The files of each command: "in" and "out" with the option, alone for an operand; "dash" is an output that may be -.
table() {
    cat <<'TABLE'
train in in:--valid in:--valid-labels in:--valid-weights in:--labels in:--weights in:--start in:--graph in:--id-map in:--csv-columns in:--config out:-o dash:--json out:--svg out:--log out:--manifest out:--checkpoint
sweep+--grid=lr=1 in in:--valid in:--valid-labels in:--valid-weights in:--labels in:--weights in:--start in:--graph in:--id-map in:--csv-columns in:--config dash:--json dash:--csv
eval in in in:--known in:--graph in:--labels in:--weights in:--id-map in:--csv-columns out:--svg
predict in in in:--graph in:--id-map in:--csv-columns dash:-o
encode in in in:--labels out:-o
infer in in in out:-o
show in in:--names in:--data in:--id-map in:--csv-columns
inspect in in:--labels in:--weights in:--id-map in:--csv-columns out:--save-ids out:--save-columns
validate in in:--csv-columns out:--fix
convert in dash in:--labels in:--weights in:--id-map in:--csv-columns dash:--labels-to
convert in dash:-o dash:--labels-to
split+--fraction=.5 in dash in:--labels in:--weights in:--id-map in:--csv-columns dash:-o
sample+-n1 in in:--labels in:--weights in:--id-map in:--csv-columns dash:-o
report in in dash:-o
plan in in:--id-map in:--csv-columns
bench+scale+spmm in:--matrix out:--svg
TABLE
}
# Folders, of which there are other checks; and what is never beside an output.
others='--spill --tensorboard --tuning'

# Each option that names a file is in the table.
for command in $("$SPARCL" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    line=$(table | grep -E "^${command}[ +]") others_here=$others
    [ "$command" != sweep ] || others_here="$others -o"
    for option in $("$SPARCL" "$command" --help | sed -nE 's/^  (-o|   )?,? *(--[a-z-]+) (FILE|FOLDER|MODEL|OUT|CODES|REST)( .*|\|.*|$)/\2/p' | sort -u); do
        [ "$option" != --output ] || option=-o
        case " $line $others_here " in
        *":$option "* | *" $option "*) ;;
        *) check "sparcl $command $option is in the table" false ;;
        esac
    done
done

# try COLUMN PATH: the command line, where that column has that path.
name_of() { echo "$d/f$1"; }
try() {
    chosen=$1 given=$2 i=0
    # shellcheck disable=SC2046 # words
    set -- $(echo "$command" | tr + ' ')
    for column in $columns; do
        i=$((i + 1)) path=$(name_of $i)
        [ $i -ne "$chosen" ] || path=$given
        case $column in
        *:*) set -- "$@" "${column#*:}" "$path" ;;
        *) set -- "$@" "$path" ;;
        esac
    done
    case $command in sweep*) set -- "$@" -o "$d/new" ;; esac
    run "$@"
}
fresh() {
    rm -rf "$d" && mkdir "$d" && ln -s d "$work/alias" 2>/dev/null
    for k in $(seq 20); do echo '{}' >"$d/f$k"; done
    i=0
    for column in $columns; do
        i=$((i + 1))
        case $column in in*) ;; *) rm -f "$d/f$i" ;; esac
    done
}
state() { (cd "$d" && find . -exec ls -ldi {} + && cat f* 2>/dev/null) | cksum; }

# variant N PATH: another name of the same file.
variant() {
    case $(($1 % 5)) in
    0) echo "$2" ;;
    1) echo "$work/./d//${2##*/}" ;;
    2) echo "$work/alias/${2##*/}" ;;
    3) [ -e "$2" ] && ln "$2" "$d/hard$1" && echo "$d/hard$1" || echo "$2" ;;
    4) ln -s "$2" "$d/soft$1" && echo "$d/soft$1" ;;
    esac
}
role() { echo "$columns" | cut -d' ' -f"$1" | cut -d: -f1; }
refused() { # refused CODE WHAT TEXT
    [ "$code" -eq "$1" ] && err_has "$3" && [ "$(state)" = "$before" ] && return
    check "$command: $2: exit $1, \"$3\", and nothing is changed" false
}

pairs=0 names=0
table >"$work/table"
while read -r command columns; do
    count=$(echo "$columns" | wc -w)
    fresh
    case $command in bench*) code=0 ;; *) try 0 '' ;; esac # which would begin to measure
    [ "$code" -ne 2 ] || check "$command: the table is right" false
    for i in $(seq "$count"); do
        [ "$(role "$i")" != in ] || continue
        fresh
        for j in $(seq "$count"); do # i gets the name of j
            [ "$i" -ne "$j" ] || continue
            pairs=$((pairs + 1)) path=$(variant $pairs "$(name_of "$j")") before=$(state)
            try "$i" "$path"
            refused 2 "column $i is $j, as $path" "are the same file"
        done
        fresh
        before=$(state) names=$((names + 5))
        try "$i" ''
        refused 2 "column $i without a name" "expected the name of a file, found an empty one"
        try "$i" "$work"
        refused 1 "column $i is a folder" "is a folder, expected a file"
        try "$i" "$d/none/x"
        refused 1 "column $i is in no folder" "the folder $d/none/ cannot be written: No such file"
        try "$i" "$d/$(printf %0256d 0)"
        refused 1 "column $i has too long a name" "File name too long"
        [ "$(role "$i")" != out ] || {
            try "$i" -
            refused 2 "column $i is -" "standard output is for what the command prints"
        }
    done
done <"$work/table"
check "outputs that are inputs or other outputs are refused: $pairs pairs" [ $pairs -gt 150 ]
check "names that cannot be written are found first: $names" [ $names -gt 50 ]

# What is made of a name; standard input and output.
command=x columns='in in in' && fresh
before=$(state)
for fold in 0.train 1.test; do
    cp "$d/f1" "$d/cv-$fold" && before=$(state)
    run split "$d/cv-$fold" --folds 2 -o "$d/cv"
    refused 2 "--folds" "FILE and $d/cv-$fold are the same file"
done
cp "$d/f1" "$d/c.previous" && before=$(state)
run train "$d/c.previous" -o "$d/m" --checkpoint "$d/c" --resume
refused 2 "--checkpoint" "TRAIN and --checkpoint (FILE.previous) are the same file"
for pair in "sample $d/f1 -n 1 -o -" "convert $d/f1 -"; do
    # shellcheck disable=SC2086 # words
    "$SPARCL" $pair >>"$d/f1" 2>"$work/err" </dev/null
    code=$?
    refused 2 "$pair >>its input" "are the same file"
done
code=0
# shellcheck disable=SC2094 # that is what is tried
"$SPARCL" convert - "$d/f1" <"$d/f1" 2>"$work/err" || code=$?
refused 2 "standard input" "IN and OUT are the same file"
run split "$d/f1" --fraction .5 -o - -
refused 2 "two at once" "-o and HELD are both standard output"
run convert "$d/f1" - --labels-to -
refused 2 "two at once" "OUT and --labels-to are both standard output"
run sweep "$d/f1" -o "$d/new" --grid lr=1 --json - --csv /dev/stdout
refused 2 "two at once" "--csv and --json are both standard output"

# Folders.
for option in --spill --tensorboard; do
    run train "$d/f1" -o "$d/m" $option ''
    refused 2 "$option ''" "$option: expected the name of a folder, found an empty one"
    run train "$d/f1" -o "$d/m" $option "$d/f2"
    refused 1 "$option FILE" "$d/f2: is a file, expected a folder"
done
run train "$d/f1" -o "$d/m" --spill "$d/none"
refused 1 "--spill" "$d/none: cannot be written: No such file"
run train "$d/f1" -o "$d/none" --tensorboard "$d/none/"
refused 2 "--tensorboard" "-o and --tensorboard are the same"

# Who has written a settings file does not decide what is replaced.
for key in output json svg log manifest checkpoint tensorboard spill; do
    echo "{\"$key\": \"$d/x\"}" >"$work/settings.json"
    run train "$d/f1" --config "$work/settings.json" -o "$d/m"
    [ $key = output ] || refused 2 "settings with $key" "\"$key\" names what would be written, which only the command line may"
done
echo "{\"output\": \"$d/x\"}" >"$work/settings.json"
run train "$d/f1" --config "$work/settings.json"
refused 2 "settings with output" "expected --output there"
run sweep "$d/f1" --config "$work/settings.json" --grid lr=1
refused 2 "settings of a sweep" "expected --output there"
echo "{\"log\": \"$d/x\"}" >"$work/settings.json"
run train "$d/f1" --config "$work/settings.json" -o "$d/m" --log "$d/none/x"
refused 1 "what the command line names instead" "--log: $d/none/x"

# Text of a file does not control the terminal.
esc=$(printf '\033') csi=$(printf '\302\233')
printf '{"loss": "\\u001b[31m\\u009b31m\\u202e\\u007f"}' >"$work/settings.json"
run train "$d/f1" --config "$work/settings.json" -o "$d/m"
check "a wrong value from a settings file exits 2" exits 2
check "without its escapes" err_lacks "$esc"
check "of 8 bits too" err_lacks "$csi"
printf '{"\\u001b[31m": 1}' >"$work/settings.json"
run train "$d/f1" --config "$work/settings.json" -o "$d/m"
check "nor those of a name" err_lacks "$esc"
run inspect "$d/${esc}[31m"
check "nor those of a path" err_lacks "$esc"
run "${esc}[31m"
check "nor those of a command" err_lacks "$esc"
run inspect "$d/größe.svm"
check "letters stay" err_has "größe.svm"

# Real data: what is written, and how.
data=$work/data.svm
printf '1 1:1\n-1 2:2\n1 3:1\n-1 1:2\n' >"$data"
"$SPARCL" convert "$data" - --to svmlight >"$work/out" 2>"$work/err" && "$SPARCL" convert "$data" "$work/file" --to svmlight
check "convert IN - writes standard output" same "$work/file" "$work/out"
check "and no file of that name" no_file ./-
(cd "$work" && echo before >log && "$SPARCL" convert "$data" /dev/stdout --to svmlight >>log)
check "/dev/stdout goes on where it stands" [ "$(head -1 "$work/log")" = before ]
"$SPARCL" convert "$data" - 2>"$work/err" | "$SPARCL" inspect - --json >"$work/out" 2>>"$work/err"
check "the binary form goes through a pipe" json_is rows 4
"$SPARCL" split "$data" --fraction .5 -o - "$work/held" --to svmlight >"$work/out" 2>"$work/err"
check "split -o - writes standard output" lines_are "$work/out" 2
"$SPARCL" sample "$data" -n 3 -o - --to svmlight >"$work/out" 2>"$work/err"
check "sample -o -, too" lines_are "$work/out" 3
chmod 640 "$work/file" && run convert "$data" "$work/file"
check "a file keeps its mode" [ "$(stat -c %a "$work/file")" = 640 ]
mkdir "$work/other" && ln -s other/target "$work/link" && run convert "$data" "$work/link"
check "where a link leads is written" has_file "$work/other/target"
check "and the link stays" [ -L "$work/link" ]
name=$(printf %0255d 0)
run convert "$data" "$work/$name"
check "a name of 255 bytes is written" has_file "$work/$name"
if [ -w /dev/full ]; then
    for line in "convert $data /dev/full" "sample $data -n 1 -o /dev/full" "validate $data --fix /dev/full" \
        "split $data --fraction .5 -o /dev/full $work/x"; do
        # shellcheck disable=SC2086 # words
        run $line
        check "a full disk exits 1: $line" exits 1
        check "and is the cause" err_has "/dev/full: cannot be written: No space left on device"
    done
    for line in "convert $data -" "sample $data -n 1 -o -" "split $data --fraction .5 -o - $work/x" "help train --man" "inspect $data"; do
        # shellcheck disable=SC2086 # words
        code=0 && "$SPARCL" $line >/dev/full 2>"$work/err" || code=$?
        check "a full standard output exits 1: $line" exits 1
        check "and is the cause" err_has "cannot be written: No space left on device"
    done
fi

# Descriptors that are closed.
code=0 && "$SPARCL" inspect "$data" >&- 2>"$work/err" || code=$?
check "a closed standard output exits 1" exits 1
check "and is the cause" err_has "standard output: cannot be written: Bad file descriptor"
code=0 && "$SPARCL" convert "$data" - >&- 2>"$work/err" || code=$?
check "also for what is written there" exits 1
code=0 && "$SPARCL" convert - "$work/x" <&- 2>"$work/err" || code=$?
check "a closed standard input exits 1" exits 1
run convert "$data" /dev/fd/9
check "a descriptor that is not open exits 1" exits 1
check "and is the cause" err_has "OUT: /dev/fd/9: cannot be written: Bad file descriptor"
check "no temporary file is left" [ -z "$(find "$work" -name '*.tmp')" ]
finish
