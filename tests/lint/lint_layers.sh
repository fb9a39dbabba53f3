#!/bin/sh
# lint_layers.sh FILE...: of libraries and object files, what the includes cannot show: which file calls which. Folders
# call one way, the tool at the top, and the files of a folder not in a circle. (Tunables and kernels are tables of what
# stands in higher folders.)
. "$(dirname "$0")/lint.sh"

need nm
need tsort
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# From the lowest; kernels are the embedded texts, sparcl is the tool.
order='base kernels device program tune launch context probe prim ops views optim plan graph data model train sparcl'

nm "$@" | awk -v order="$order" -v files="$(sources src tools/sparcl)" '
    BEGIN {
        count = split(files, path, "\n")
        for (i = 1; i <= count; ++i) {
            parts = split(path[i], part, "/")
            folder[part[parts]] = part[2]
        }
        count = split(order, name, " ")
        for (i = 1; i <= count; ++i) level[name[i]] = i
    }
    /\.o:$/ { object = $0; sub(/\.o:$/, "", object); sub(/.*\//, "", object); next }
    $1 == "U" { uses[object, $2] = 1; next }
    NF == 3 && $2 ~ /^[A-Z]$/ { home[$3] = object }
    function folder_of(object) { return object in folder ? folder[object] : "kernels" }
    END {
        for (pair in uses) {
            split(pair, at, SUBSEP)
            if (at[2] ~ /^spc_(tunable|kernel)_[a-z]/ || !(at[2] in home)) continue
            from = folder_of(at[1])
            to = folder_of(home[at[2]])
            if (!(from in level)) print "finding " from "/" at[1] ": lint_layers.sh does not know the folder"
            else if (level[to] > level[from]) print "finding " from "/" at[1] ": calls " at[2] " of " to "/" home[at[2]]
            else if (from == to && from != "kernels") print "edge " from "/" at[1] " " to "/" home[at[2]]
        }
        print "edges are known"
    }' >"$work/all"
grep -q '^edges are known$' "$work/all" || finding "$*: cannot be read"
sed -n 's/^finding //p' "$work/all" | sort -u >"$work/findings"
while read -r place; do finding "$place"; done <"$work/findings"
sed -n 's/^edge //p' "$work/all" | sort -u >"$work/edges"
[ "$(wc -l <"$work/edges")" -gt 20 ] || finding "$*: hardly a call was found"
tsort "$work/edges" >/dev/null 2>"$work/circles" ||
    finding "files that call one another in a circle: $(sed 's/^tsort: //' "$work/circles" | grep -v input | tr '\n' ' ')"
finish
