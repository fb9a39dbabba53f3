#!/bin/sh
# runpath.sh FOLDER...: each program and shared library in the folders searches its libraries only in folders that its RUNPATH or RPATH
# names in full, or from its own place: an empty or relative element is the current folder, whose libraries anyone may have put there.
set -eu
command -v readelf >/dev/null || { echo "skipped: readelf is not installed" && exit 77; }
# Other tests, which run at the same time, may remove some; what one has installed from PyPI (wheel/fresh) is not ours.
# shellcheck disable=SC2016 # of awk, and of the loader
find "$@" -path '*/wheel/fresh' -prune -o -type f \( -perm -100 -o -name '*.so*' \) -exec readelf -d {} + 2>/dev/null | awk -v folders="$*" '
    /^File: / { file = substr($0, 7) }
    /\(NEEDED\)/ && !counted[file]++ { ++binaries }
    /\((RUNPATH|RPATH)\)/ {
        path = $0; sub(/.*\[/, "", path); sub(/\][^\]]*$/, "", path)
        count = split(path, elements, ":")
        if (count == 0) elements[count = 1] = ""
        for (i = 1; i <= count; ++i)
            if (elements[i] !~ /^(\/|\$ORIGIN(\/|$)|\$\{ORIGIN\}(\/|$))/) {
                print file ": RUNPATH \"" path "\": \"" elements[i] "\" is relative to the current folder"; ++bad
            }
    }
    END {
        printf "%d programs and libraries in %s, %d bad elements of RUNPATH\n", binaries, folders, bad
        exit bad > 0 || binaries == 0
    }'
