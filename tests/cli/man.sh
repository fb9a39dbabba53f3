#!/bin/sh
# Manual pages: each command has one, with exactly the options, keys and examples of its help, and each topic.
. "$(dirname "$0")/checks.sh"

# The text of a page, without requests, fonts and escapes.
plain() {
    sed -e '/^\.\\"/d' -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\(ga/`/g' -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' \
        -e 's/\\(dq/"/g' -e 's/\\&//g' -e 's/\\e/\\/g' "$1"
}
section() { # section NAME: the lines of a section of the page in $work/page
    plain "$work/page" | awk -v name=".SH $1" '/^\.SH / {inside = $0 == name; next} inside'
}
options_of() { sed -nE 's/^ *((-[a-zA-Z], )?--[a-z0-9-]+).*/\1/p' "$1" | sort; }

run help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out")
run help --man
check "help --man exits 0" exits 0
cp "$work/out" "$work/page"
check "sparcl(1) is its title" grep -q '^\.TH SPARCL 1 ' "$work/page"
for name in NAME SYNOPSIS COMMANDS ENVIRONMENT FILES "EXIT STATUS" EXAMPLES "SEE ALSO"; do
    check "sparcl(1) has $name" [ -n "$(section "$name")" ]
done
for command in $commands; do
    check "sparcl(1) names sparcl-$command(1)" grep -qF ".BR sparcl\\-$command (1)" "$work/page"
done
run help environment
sed -nE 's/^  ([A-Z_]+) .*/\1/p' "$work/out" >"$work/variables"
while read -r variable; do
    check "sparcl(1) has $variable" grep -qxF "\\fB$variable\\fR" "$work/page"
done <"$work/variables"
run help exit-codes
check "the exit codes are those of help" [ "$(section "EXIT STATUS" | awk '/^\.TP/ {getline code; getline text; print "  " code "  " text}')" = "$(cat "$work/out")" ]

for command in $commands; do
    run "$command" --help
    cp "$work/out" "$work/help"
    run help "$command" --man
    check "help $command --man exits 0" exits 0
    check "and prints nothing else" err_is_empty
    cp "$work/out" "$work/page"
    title=$(echo "$command" | tr '[:lower:]' '[:upper:]')
    check "sparcl-$command(1) is its title" grep -qF ".TH SPARCL\\-$title 1 " "$work/page"
    sed -n '/^Options:/,/^$/p' "$work/help" >"$work/help.options"
    section OPTIONS >"$work/page.options"
    options_of "$work/help.options" >"$work/expected"
    options_of "$work/page.options" >"$work/found"
    check "sparcl-$command(1) has options" [ -s "$work/found" ]
    check "sparcl-$command(1) has the options of --help" same "$work/expected" "$work/found"
    check "each once" [ -z "$(uniq -d "$work/found")" ]
    while read -r line; do
        check "sparcl-$command(1) has the example: $line" [ -n "$(section EXAMPLES | grep -xF -- "$line")" ]
    done <<END
$(sed -n '/^Examples:/,/^$/s/^  \([^#].*\)/\1/p' "$work/help")
END
    sed -nE '/^JSON keys:/,/^$/{s/^ {2,4}([a-z].*)/\1/; t key; d; :key; s/  .*//; p}' "$work/help" >"$work/keys"
    section "JSON KEYS" >"$work/page.keys"
    while read -r key; do
        check "sparcl-$command(1) has the key $key" grep -qE "^ *$key\$" "$work/page.keys"
    done <"$work/keys"
    sed '/^\.\\"/d' "$work/page" >"$work/body"
    check "sparcl-$command(1) has no unescaped character" no_line_matches "$work/body" "^'|^\.[^A-Zna]|[^\\]-|[\`^~]"
done

run help
topics=$(sed -n '/^Topics/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/out")
words() { tr -s ' ' '\n' | grep -v '^\.' | sort -u; }
for topic in $topics; do
    run help "$topic"
    cp "$work/out" "$work/help"
    run help "$topic" --man
    check "help $topic --man exits 0" exits 0
    cp "$work/out" "$work/page"
    title=$(echo "$topic" | tr '[:lower:]' '[:upper:]' | sed 's/-/\\-/')
    check "sparcl-$topic(7) is its title" grep -qF ".TH SPARCL\-$title 7 " "$work/page"
    words <"$work/help" >"$work/expected"
    section DESCRIPTION | words >"$work/found"
    check "sparcl-$topic(7) has the words of help $topic" [ -z "$(comm -23 "$work/expected" "$work/found")" ]
    sed '/^\.\\"/d' "$work/page" >"$work/body"
    check "sparcl-$topic(7) has no unescaped character" no_line_matches "$work/body" "^'|^\.[^A-Zna]|[^\\]-|[\`^~]"
done

run help nothing --man
check "the page of an unknown command exits 2" exits 2
check "and prints what was expected" err_has "--man: expected a command or a topic, found \"nothing\""
finish
