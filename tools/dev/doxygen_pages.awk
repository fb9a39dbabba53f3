# doxygen_pages.awk: a page of docs/ as Doxygen is to read it: links to pages that it does not have are
# their text alone. `pages` names those that it has, with commas between.

BEGIN {
    count = split(pages, list, ",")
    for (i = 1; i <= count; i++) has[list[i] ".md"] = 1
}

{
    rest = $0
    line = ""
    while (match(rest, /\[[^]]*\]\([^)]*\.md(#[^)]*)?\)/)) {
        link = substr(rest, RSTART, RLENGTH)
        line = line substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        text = target = link
        sub(/^\[/, "", text)
        sub(/\]\(.*/, "", text)
        sub(/^.*\]\(/, "", target)
        sub(/(#.*)?\)$/, "", target)
        line = line (target in has ? "[" text "](" target ")" : text)
    }
    print line rest
}
