#!/bin/sh
# Shell scripts are clean for shellcheck.
. "$(dirname "$0")/lint.sh"

need shellcheck
for file in .ci/run tools/test tools/dev/prove tools/dev/fuzz tools/quickstart tools/gpu-report bench/setup tools/*.sh tests/*.sh tests/*/*.sh examples/ci/*.sh; do
    [ -f "$file" ] || continue
    shellcheck -x -P SCRIPTDIR -P . "$file" || finding "$file"
done
finish
