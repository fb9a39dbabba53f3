# doxygen_pages.awk: converts a page of docs/ for Doxygen: replaces links to pages that Doxygen does not
# read with their text. `pages` lists the pages that it reads, separated by commas.

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
