# doxygen_filter.awk: a header of include/sparcl as Doxygen is to read it. Headers are written for those
# who read them as text:
#
#   /* name.h: ... */ and other comments at the margin     belong to the page of the header
#    * Shapes    A [m, k], ...                             a label and what goes on below it, indented: a
#                                                          section of its own
#   lines that are indented without a label                stay as they are laid out
#   sparcl_..., E_...                                      link to where they are declared
#   declarations without a blank line between them         share the comment of the first
#   int64_t rows, cols; /**< ... */                        fields share a comment, too
#   uint64_t reserved[2];                                  what it is, is the same everywhere
#   an X list in an enum                                   its values, with their texts
#   docs/....md                                            link to the page
#
# Lines are kept one for one where that can be, so that Doxygen's messages name them.

BEGIN {
    PLAIN = " /**< &nbsp; */" # a value whose name says it all; without a comment the page would lack it
    RESERVED = " /**< must be zero: for later versions */"
}

# Links to every name of the library outside of `code`.
function linked(text, out, word, before) {
    out = ""
    sub(/^\*[a-z_]+/, "`&`", text) # else its asterisk would be the margin
    gsub(/ \.\. /, " \\&hellip; ", text) # else the second dot would end the brief description
    while (match(text, /`[^`]*`|docs\/[a-z-]+\.md|(SPARCL_)?E_[A-Z]+|sparcl_[a-z0-9_]+/)) {
        before = substr(text, 1, RSTART - 1)
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        out = out before
        if (before ~ /[A-Za-z0-9_\/."]$/ || word ~ /^`/ || word ~ /_$/) out = out word
        else if (word ~ /^docs/) out = out "[" word "](" word ")"
        else if (word ~ /^E_/) out = out "@ref SPARCL_" word " \"" word "\""
        else out = out "@ref " word " \"" word "\""
    }
    return out text
}

function linked_comment(line, at) {
    at = index(line, "/**<")
    return at ? substr(line, 1, at - 1) linked(substr(line, at)) : line
}

# A line of a comment without its margin.
function body(line) {
    sub(/^ *\/\*\*? ?/, "", line)
    sub(/^ \*( |$)/, "", line)
    return line
}

# Keep what is printed of a comment, for declarations that share it.
function say(text) {
    print text
    comment = comment text "\n"
}

function leave_layout() {
    if (in_layout) say(layout_end)
    in_layout = 0
}

# One line of text of a comment.
function text_line(line, indent, label) {
    match(line, /^ */)
    indent = RLENGTH
    if (line ~ /^[A-Z][a-z]+  +[^ ]/) {
        leave_layout()
        label = line
        sub(/ .*/, "", label)
        sub(/^[A-Z][a-z]+ +/, "", line)
        say("\n@par " label "\n" linked(line))
        in_label = 1
    } else if (in_label && indent >= 10) {
        say(linked(substr(line, indent + 1)))
    } else if (line == "") {
        if (in_layout) held = held "\n"
        else say("")
        in_label = 0
    } else if (indent >= 2) {
        if (!in_layout) say(indent >= 4 ? "@code{.unparsed}" : "@verbatim")
        if (!in_layout) layout_end = indent >= 4 ? "@endcode" : "@endverbatim"
        in_layout = 1
        in_label = 0
        say(held line)
        held = ""
    } else {
        leave_layout()
        if (held != "" || in_label) say("")
        held = ""
        in_label = 0
        say(linked(line))
    }
}

# One line of a comment, its first and last too.
function comment_line(line, ends) {
    ends = line ~ /\*\/ *$/
    sub(/ *\*\/ *$/, "", line)
    line = body(line)
    if (!ends || line != "") text_line(line)
    if (ends) {
        leave_layout()
        held = ""
        in_label = 0
        say("*/")
    }
    in_comment = !ends
}

# Fields of one type as declarations of their own, each with the whole comment.
function split_fields(line, code, doc, type, names, count, i, out) {
    code = line
    sub(/;.*/, "", code)
    doc = substr(line, length(code) + 2)
    type = code
    sub(/[*]*[a-z0-9_]+(\[[^]]*\])*(, *[*]*[a-z0-9_]+(\[[^]]*\])*)+$/, "", type)
    count = split(substr(code, length(type) + 1), names, /, */)
    out = ""
    for (i = 1; i <= count; i++) out = out type names[i] ";" doc " "
    return out
}

# An enum on one line.
function split_values(line, values, count, i, out) {
    match(line, /\{.*\}/)
    count = split(substr(line, RSTART + 1, RLENGTH - 2), values, /, */)
    out = substr(line, 1, RSTART)
    for (i = 1; i <= count; i++) out = out values[i] (i < count ? "," : "") PLAIN " "
    return out substr(line, RSTART + RLENGTH - 1)
}

function code_line(line) {
    if (line ~ /^#define .*_LIST\(X\)/) {
        list_name = line
        sub(/^#define /, "", list_name)
        sub(/\(.*/, "", list_name)
    }
    if (list_name != "" && line ~ /^ +X\(/) {
        value = line
        sub(/^ +X\(/, "", value)
        split(value, part, ", *")
        match(value, /".*"/)
        lists[list_name] = lists[list_name] "    " part[1] " = " part[2] ", /**< " substr(value, RSTART + 1, RLENGTH - 2) " */\n"
    }
    if (line !~ /\\$/) list_name = ""
    if (match(line, /^    [A-Z_]+_LIST\(/)) {
        name = line
        gsub(/^ +|\(.*/, "", name)
        line = lists[name]
    }
    if (line ~ /^#(define|undef) [A-Z_]+_ENUM/) line = ""
    if (line ~ /^    SPARCL_[A-Z0-9_]+( = -?[0-9]+)?,?$/) line = line PLAIN
    if (line ~ /^(typedef )?enum .*\{.*\}/) line = split_values(line)
    if (line ~ /^ +uint64_t reserved\[2\];$/) line = line RESERVED
    if (line ~ /^    [a-z].*, *[*]*[a-z0-9_]+(\[[^]]*\])*; *(\/\*\*<.*)?$/ && line !~ /\(.*;/) line = split_fields(line)
    print line
}

# A comment behind a field is put on one line, so that fields can share it.
function field_line(line) {
    if (line ~ /\/\*\*</ && line !~ /\*\//) {
        joined = line
        return
    }
    code_line(linked_comment(line))
}

FNR == 1 && /^\/\* [a-z]+\.h: / {
    file = $2
    sub(/:$/, "", file)
    line = $0
    sub(/\/\* [a-z]+\.h: /, "", line)
    printf "/** @file %s\n@brief ", file
    comment_line("/* " line)
    next
}
joined != "" {
    line = $0
    sub(/^ +/, " ", line)
    joined = joined line
    missing = missing "\n"
    if (joined ~ /\*\//) {
        code_line(linked_comment(joined))
        printf "%s", missing
        joined = missing = ""
    }
    next
}
in_comment {
    comment_line($0)
    next
}
/^\/\*([^*]|$)/ {
    comment = ""
    say("/** @file " file "\n@details")
    comment_line($0)
    if (!in_comment) comment = ""
    next
}
/^ *\/\*\*([^<]|$)/ {
    comment = ""
    say("/**")
    comment_line($0)
    next
}
/^(SPARCL_API|#define) / && after_declaration {
    printf "%s", comment
}
{
    after_declaration = /;$/ || /^#define .*[^\\]$/
    if ($0 == "") comment = ""
    field_line($0)
}
