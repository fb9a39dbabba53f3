#!/bin/sh
# Shell scripts are clean for shellcheck; the versions of .pre-commit-config.yaml are those of tools/test.
. "$(dirname "$0")/lint.sh"

pins=$(grep -oE '[a-z-]+==[0-9.]+' .pre-commit-config.yaml)
for pin in $pins; do
    ! grep -qE "\b${pin%%==*}==" tools/test || grep -qF " $pin" tools/test || finding ".pre-commit-config.yaml: $pin is another version in tools/test"
done
need shellcheck
for file in .ci/run tools/test tools/dev/prove tools/dev/fuzz tools/quickstart tools/gpu-report bench/setup tools/*.sh tests/*.sh tests/*/*.sh examples/ci/*.sh; do
    [ -f "$file" ] || continue
    shellcheck -x -P SCRIPTDIR -P . "$file" || finding "$file"
done
finish
