#!/bin/sh
# run_page.py: a page whose commands fail, or print other figures than it says, is found.
. "$(dirname "$0")/checks.sh"
need_device

page=$work/page.md
# try EXPECTED WHAT: the page, which is standard input
try() {
    cat >"$page"
    code=0
    SPARCL_TEST_DATA='' SPARCL_TEST_DATA_DIR='' python3 "$(dirname "$0")/run_page.py" "$page" >"$work/out" 2>"$work/err" || code=$?
    check "$2" exits "$1"
}
good="    \$ sparcl train a9a.gz -o m --epochs 2 --batch 1024 --hold-out 0.2 --optimizer adam
    loss             0.5568
    seconds per pass 9.9
    ...
    valid loss 0.55941"
try 0 "a right page" <<END
Text.

$good
END
try 1 "a wrong figure" <<END
$(echo "$good" | sed s/0.55941/0.55942/)
END
check "is shown" out_has "the page says: valid loss 0.55942"
try 1 "a line that is not printed" <<END
$good
    valid lost 0.55941
END
try 1 "a command that fails" <<END
    \$ sparcl train a9a.gz --epochs 2
END
check "is shown with its line" out_has "$page:1: sparcl train"
try 1 "a page without commands" <<END
Text.
END
try 1 "output below a block of commands" <<END
    sparcl train a9a.gz -o m --optimizer adam \\
        --batch 1024 --epochs 2

    loss 0.583834
END
try 0 "text between them ends the output" <<END
    sparcl train a9a.gz -o m --optimizer adam --batch 1024 --epochs 2

Text.

    loss 0.583834
END
try 0 "added options, for which figures are not compared" <<END
<!-- run: with --epochs 2 -->
    \$ sparcl train a9a.gz -o m --optimizer adam --epochs 100000000
    loss 0.1
END
try 1 "but words are" <<END
<!-- run: figures vary -->
    \$ sparcl train a9a.gz -o m --optimizer adam --batch 1024 --epochs 2
    lost 0.1
END
try 1 "a table: all of its figures" <<END
    \$ sparcl sweep a9a.gz -o runs --epochs 2 --batch 1024 --grid lr=0.1,1 --progress none
    lr      loss seconds
    1   0.340094     0.1
    0.1 0.416413     0.1
END
check "of which times may differ" [ "$(grep -c 'the page says' "$work/out")" -eq 1 ]
try 0 "a command with ^C is interrupted" <<END
    \$ sparcl train a9a.gz -o m --optimizer adam --epochs 100000000
    ...
    ^C
    sparcl: interrupted; m was not written
END
try 77 "missing data are a reason to skip" <<END
$good

    \$ sparcl train \$D/data -o m

    \$ sparcl info m
END
check "which is said, also of what reads their results" out_has "skipped: 2 commands: SPARCL_TEST_DATA names no folder"
finish
