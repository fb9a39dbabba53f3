#!/bin/sh
# Workflows are YAML, run what is there, and are clean for actionlint where that is installed.
. "$(dirname "$0")/lint.sh"

python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || { "$candidate" -c 'import yaml' 2>/dev/null && python=$candidate; }
done
if [ -z "$python" ]; then
    echo "skipped: no Python with python3-yaml is installed"
    exit 77
fi
for file in .github/workflows/*.yml examples/ci/*.yml; do
    [ -f "$file" ] || finding "$file: there is no such workflow"
    commands=$("$python" - "$file" <<'END'
import sys
import yaml

workflow = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
assert True in workflow or "on" in workflow, "no events"  # YAML 1.1 reads the key `on` as true
for name, job in workflow["jobs"].items():
    assert job["runs-on"] and job["steps"], f"{name}: no machine or no steps"
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step), f"{name}: a step runs or uses one thing"
        print(step.get("run", ""))
END
    ) || finding "$file: not a workflow: $commands"
    for command in $(echo "$commands" | grep -oE '^tools/[a-z-]+' | sort -u); do
        [ -x "$command" ] || finding "$file: $command is no program"
        grep -qE "^    $command( |\$)" README.md || finding "$file: $command is no command of README.md"
    done
    command -v actionlint >/dev/null && { actionlint "$file" || finding "$file: see actionlint"; }
done
finish
