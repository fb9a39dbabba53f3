# doxygen_filter.awk: converts a header of include/sparcl for Doxygen. The headers are written to be read
# as text; the filter changes:
#
#   /* name.h: ... */ and other comments at the margin     part of the page of the header
#    * Shapes    A [m, k], ...                             a label, and the indented lines below it: a section
#   lines that are indented, without a label               preformatted text
#   sparcl_..., E_...                                      links to the declarations
#   declarations without a blank line between them         the comment of the first for each
#   int64_t rows, cols; /**< ... */                        the comment for each field
#   uint64_t reserved[2];                                  a comment, the same everywhere
#   an X list in an enum                                   its values, with their texts
#   docs/....md                                            a link to the page
#
# Each line stays on its line where possible, so that the line numbers of Doxygen's messages are right.

BEGIN {
    PLAIN = " /**< &nbsp; */" # for a value that needs no comment; Doxygen omits values without one
    RESERVED = " /**< must be zero: for later versions */"
}

# Makes links of the names of the library in text that is not `code`.
function linked(text, out, word, before) {
    out = ""
    sub(/^\*[a-z_]+/, "`&`", text) # otherwise Doxygen drops the asterisk as a margin
    gsub(/ \.\. /, " \\&hellip; ", text) # otherwise the second dot ends the brief description
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

# Removes the margin of a comment's line.
function body(line) {
    sub(/^ *\/\*\*? ?/, "", line)
    sub(/^ \*( |$)/, "", line)
    return line
}

# Prints a line of a comment, and keeps it for declarations that share the comment.
function emit(text) {
    print text
    comment = comment text "\n"
}

function leave_layout() {
    if (in_layout) emit(layout_end)
    in_layout = 0
}

# Converts one line of a comment's text.
function text_line(line, indent, label) {
    match(line, /^ */)
    indent = RLENGTH
    if (line ~ /^[A-Z][a-z]+  +[^ ]/) {
        leave_layout()
        label = line
        sub(/ .*/, "", label)
        sub(/^[A-Z][a-z]+ +/, "", line)
        emit("\n@par " label "\n" linked(line))
        in_label = 1
    } else if (in_label && indent >= 10) {
        emit(linked(substr(line, indent + 1)))
    } else if (line == "") {
        if (in_layout) held = held "\n"
        else emit("")
        in_label = 0
    } else if (indent >= 2) {
        if (!in_layout) emit(indent >= 4 ? "@code{.unparsed}" : "@verbatim")
        if (!in_layout) layout_end = indent >= 4 ? "@endcode" : "@endverbatim"
        in_layout = 1
        in_label = 0
        emit(held line)
        held = ""
    } else {
        leave_layout()
        if (held != "" || in_label) emit("")
        held = ""
        in_label = 0
        emit(linked(line))
    }
}

# Converts one line of a comment, which may be its first or its last.
function comment_line(line, ends) {
    ends = line ~ /\*\/ *$/
    sub(/ *\*\/ *$/, "", line)
    line = body(line)
    if (!ends || line != "") text_line(line)
    if (ends) {
        leave_layout()
        held = ""
        in_label = 0
        emit("*/")
    }
    in_comment = !ends
}

# Splits a declaration of several fields into one for each, all with the same comment.
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

# Converts an enum that is on one line.
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

# Joins the comment behind a field to one line, so that several fields can share it.
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
    emit("/** @file " file "\n@details")
    comment_line($0)
    if (!in_comment) comment = ""
    next
}
/^ *\/\*\*([^<]|$)/ {
    comment = ""
    emit("/**")
    comment_line($0)
    next
}
/^(SPARCL_API|SPARCL_EXPERIMENTAL_API|#define) / && after_declaration {
    printf "%s", comment
}
{
    after_declaration = /;$/ || /^#define .*[^\\]$/
    if ($0 == "") comment = ""
    field_line($0)
}
