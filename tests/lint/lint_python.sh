#!/bin/sh
# Every Python program is one, and each of its lines fits a screen.
. "$(dirname "$0")/lint.sh"

need python3
# shellcheck disable=SC2046 # names without spaces
python3 - tools/dev/add-operation tools/dev/check-plans tools/dev/gpu-compile tools/dev/operation-pages $(find tools tests bench -name '*.py' | sort) <<'END' || findings=1
import ast, sys

bad = False
for name in sys.argv[1:]:
    text = open(name).read()
    try:
        ast.parse(text, name)
    except SyntaxError as error:
        print(f"{name}:{error.lineno}: python3 cannot read it: {error.msg}")
        bad = True
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 120:
            print(f"{name}:{number}: longer than 120 characters")
            bad = True
sys.exit(bad)
END
finish
