# shellcheck shell=sh
# lint.sh: sourced by every rule here. The working folder is then the root of the sources.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
findings=0

# finding WHERE: WHAT
finding() {
    findings=$((findings + 1))
    echo "$*"
}

need() {
    command -v "$1" >/dev/null && return
    echo "skipped: $1 is not installed"
    exit 77
}

# The C files and headers of some folders.
sources() { find "$@" -name '*.[ch]' | sort; }

# A file without its comments; lines keep their numbers.
without_comments() { "${CC:-cc}" -fpreprocessed -dD -E -w -x c "$1" | sed '/^# [0-9]/d'; }

finish() {
    [ "$findings" -eq 0 ] || echo "$findings findings"
    [ "$findings" -eq 0 ]
    exit
}
