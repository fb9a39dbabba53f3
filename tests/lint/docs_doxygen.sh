#!/bin/sh
# The reference of the API is made without a warning: all that is public has words of its own, every link
# an end. And it shows what the headers say: labels, layout, values, comments that are shared.
. "$(dirname "$0")/lint.sh"

need doxygen
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{
    cat "${BUILD_DIR:?}/docs/Doxyfile"
    echo "OUTPUT_DIRECTORY = $work"
} >"$work/Doxyfile"
doxygen "$work/Doxyfile" >"$work/log" 2>&1 || finding "doxygen failed"
cat "$work/log"
[ ! -s "$work/log" ] || finding "doxygen has warnings"
for header in include/sparcl/*.h include/sparcl/ops/*.h; do
    grep -q "^| .*${header#include/sparcl/}\b" docs/api.md || finding "docs/api.md: no line on $header"
done

page() { tr '\n' ' ' <"$work/html/$1"; }
shows() { # shows PAGE REGEX WHAT
    page "$1" 2>/dev/null | grep -qE "$2" || finding "$1: $3"
}
lacks() {
    if page "$1" 2>/dev/null | grep -qE "$2"; then finding "$1: $3"; fi
}
shows products_8h.html '<dt>Shapes</dt><dd>A \[m, k\], B \[k, n\]' "the label Shapes of sparcl_spmm is no section"
shows products_8h.html '<dt>Errors</dt><dd><a [^>]*>E_SHAPE</a>' "E_SHAPE does not link to its status"
shows ops_8h.html 'href="md_docs_numerics.html">docs/numerics.md</a>' "docs/numerics.md is no link"
shows device_8h.html '<pre class="fragment"> *auto +the best GPU' "the table of selectors has lost its layout"
shows status_8h.html 'SPARCL_E_ALIAS&#160;</td><td class="fielddoc"><p *>a result overlaps an operand' "a status lacks its text"
shows tensor_8h.html 'SPARCL_INDEX64&#160;' "a value without a comment is left out"
shows structsparcl__csr.html 'must be zero' "reserved fields are not explained"
shows structsparcl__csr.html 'index_type</(a|b)></td></tr>.{0,200}>of <code>offsets</code>' "fields do not share their comment"
for file in "$work"/html/*_8h.html; do
    lacks "${file##*/}" '>[^<]*(Shapes|Types|Errors|Host) {3}' "a label was not read"
    lacks "${file##*/}" '@(ref|par|verbatim|code)' "a command was not read"
done
finish
