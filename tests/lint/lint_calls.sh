#!/bin/sh
# The library never prints, reads the environment, exits, aborts or keeps global state; only
# src/device, src/program and src/launch call OpenCL.
. "$(dirname "$0")/lint.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for file in $(sources src); do
    mkdir -p "$work/${file%/*}"
    without_comments "$file" >"$work/$file"
done
cd "$work" || exit 1

# search WHY REGEX [GREP_OPTIONS]: findings in what is left without comments
search() {
    why=$1 regex=$2
    shift 2
    grep -rnoE "$@" "$regex" src >found
    while read -r place; do finding "$place: $why"; done <found
}
call='[[:space:]]*\('

search 'the library never prints' "\b((v|vf|f)?printf|puts|putchar|perror|syslog)$call|\b(stdout|stderr)\b"
search 'only the tool reads the environment' '\b(getenv|secure_getenv|setenv|putenv|environ)\b'
search 'the library never ends the process' \
    "\b(exit|_exit|_Exit|quick_exit|abort|assert|atexit|raise)$call"
search 'unsafe, or depends on global state' \
    "\b(setlocale|strtok|sprintf|vsprintf|gets|strcat|rand|srand|localtime|gmtime|alloca)$call"
grep -rnoE "\b(pow|exp|exp2|log|log2|log10|cbrt)[fl]?$call" src/optim >found
while read -r place; do
    finding "$place: C libraries round it differently: optimizers have src/optim/power.c"
done <found
search 'only src/device, src/program and src/launch call OpenCL' "\bcl[A-Z][A-Za-z]+$call|\bCL_[A-Z_]+" \
    --exclude-dir=device --exclude-dir=program --exclude-dir=launch
search 'only these and src/context name its types' '\bcl_[a-z_]+' \
    --exclude-dir=device --exclude-dir=program --exclude-dir=launch --exclude-dir=context
search 'only src/launch/blas.c calls CLBlast' "\bCLBlast[A-Za-z]+$call" --exclude=blas.c
finish
