#!/bin/sh
# package.sh STEP: one way to use sparcl from outside; step_STEP below.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${BUILD_DIR:?}" "${CMAKE:?}" "${CPACK:?}" "${CC:?}" "${VERSION:?}"
CXX=${CXX:-c++}
work=$BUILD_DIR/package
prefix=$work/moved

fail() {
    echo "FAILED: $*"
    exit 1
}

# A command whose words matter only when it fails.
quietly() {
    if ! "$@" >"$work/log.$$" 2>&1; then
        cat "$work/log.$$"
        fail "$*"
    fi
    rm "$work/log.$$"
}

# The program prints the version of the library that it runs with.
run() {
    echo "$ $*"
    "$@" | tee "$work/said.$$"
    grep -qx "sparcl $VERSION" "$work/said.$$" || fail "$1: expected sparcl $VERSION"
    rm "$work/said.$$"
}

# No library of the current folder.
runpath() { quietly "$here/runpath.sh" "$1"; }

step_install() {
    rm -rf "$work/prefix" "$prefix"
    quietly "$CMAKE" --install "$BUILD_DIR" --prefix "$work/prefix"
    mv "$work/prefix" "$prefix" # an installed tree may be moved
    for file in include/sparcl/sparcl.h include/sparcl/train.h bin/sparcl share/doc/sparcl/LICENSE share/doc/sparcl/README.md \
        share/doc/sparcl/docs/cookbook.md share/doc/sparcl/docs/runs.md share/doc/sparcl/docs/operations/products.md \
        share/doc/sparcl/examples/row_sparse_step.c share/doc/sparcl/examples/valgrind.supp share/doc/sparcl/examples/python/dlrm.py \
        share/man/man1/sparcl.1 share/man/man1/sparcl-train.1 share/bash-completion/completions/sparcl \
        share/zsh/site-functions/_sparcl share/fish/vendor_completions.d/sparcl.fish; do
        [ -e "$prefix/$file" ] || fail "$file is not installed"
    done
    if [ -e "$prefix/share/doc/sparcl/docs/progress" ] || grep -rqE '(^|[^/])docs/[a-z-]+\.md' "$prefix/share/man"; then
        fail "pages of the development are installed, or manual pages name docs/ without its place"
    fi
    if find "$prefix" -name '*.svm*' -o -name '*.gz' -o -name 'heart_scale*' | grep .; then
        fail "data are installed"
    fi
    "$prefix/bin/sparcl" version | grep -qx "sparcl $VERSION (library $VERSION)" || fail "the installed tool"
    "$prefix/bin/sparcl" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >"$work/commands"
    [ -s "$work/commands" ] || fail "the installed tool names no command"
    while read -r command; do
        [ -s "$prefix/share/man/man1/sparcl-$command.1" ] || fail "sparcl-$command(1) is not installed"
    done <"$work/commands"
    "$prefix/bin/sparcl" help | sed -n '/^Topics/,/^$/s/^  \([a-z-]*\) .*/\1/p' >"$work/topics"
    [ -s "$work/topics" ] || fail "the installed tool names no topic"
    while read -r topic; do
        [ -s "$prefix/share/man/man7/sparcl-$topic.7" ] || fail "sparcl-$topic(7) is not installed"
    done <"$work/topics"
    # Found as a user finds it: by its name, along a path.
    if man --version >/dev/null 2>&1; then
        MANPATH=$prefix/share/man man -P cat sparcl-train | grep -q -- '--optimizer' || fail "man sparcl-train"
    fi
    if [ -e "$BUILD_DIR/docs/html/index.html" ]; then
        [ -e "$prefix/share/doc/sparcl/html/index.html" ] || fail "the reference of the API was built and is not installed"
    fi
    bash -c '. "$1" && complete -p sparcl' - "$prefix/share/bash-completion/completions/sparcl" >/dev/null ||
        fail "the completion for bash"
    runpath "$prefix"
}

step_find_package() {
    rm -rf "$work/find_package"
    quietly "$CMAKE" -S "$here/find_package" -B "$work/find_package" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DWANTED_VERSION="$VERSION"
    quietly "$CMAKE" --build "$work/find_package"
    for program in "$work"/find_package/use_*; do run "$program"; done
    runpath "$work/find_package"
}

# The C example of README.md, as it stands there, compiles and prints what its comment says.
step_readme() {
    rm -rf "$work/readme"
    mkdir -p "$work/readme"
    cd "$work/readme"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sparcl.pc)")
    export PKG_CONFIG_PATH
    awk '/^```c$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$root/README.md" >readme.c
    expected=$(sed -nE 's,.*printf.*/\* (.*) \*/.*,\1,p' readme.c)
    [ -n "$expected" ] || fail "README.md: expected one C example with a comment that says what it prints"
    # shellcheck disable=SC2046 # several words
    quietly "$CC" -std=c99 -Wall -Wextra -Wpedantic -Werror readme.c $(pkg-config --cflags --libs sparcl) \
        -Wl,-rpath,"$(dirname "$PKG_CONFIG_PATH")" -o readme
    printed=$(./readme) || fail "README.md: the example ended with $?: $printed"
    [ "$printed" = "$expected" ] || fail "README.md: the example printed \"$printed\", expected \"$expected\""
}

static_names() {
    case $1 in
    sparcl-train) echo "-l:libsparcl-train.a -l:libsparcl.a" ;;
    *) echo "-l:libsparcl.a" ;;
    esac
}

step_pkg_config() {
    rm -rf "$work/pkg_config"
    mkdir -p "$work/pkg_config"
    cd "$work/pkg_config"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sparcl.pc)")
    libraries=$(dirname "$PKG_CONFIG_PATH")
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion sparcl)" = "$VERSION" ] || fail "the version of sparcl.pc"
    for module in sparcl sparcl-train; do
        define=-DUSE_$(echo $module | tr a-z- A-Z_)
        flags="$(pkg-config --cflags --libs $module) -Wl,-rpath,$libraries"
        # Our libraries static, what they need themselves as it comes.
        needs=$({ pkg-config --print-requires-private $module; pkg-config --print-requires-private sparcl; } | sort -u)
        # shellcheck disable=SC2086 # several words, here and below
        static="$(pkg-config --cflags $module) -L$libraries $(static_names $module) $(pkg-config --libs $needs) -lpthread -lm"
        # shellcheck disable=SC2086
        "$CC" -std=c99 -Wall -Wextra -Werror "$define" "$here/consumer.c" $flags -o "$module.c99"
        # shellcheck disable=SC2086
        "$CXX" -std=c++17 -Wall -Wextra -Werror "$define" "$here/consumer.cpp" $flags -o "$module.cxx17"
        # shellcheck disable=SC2086
        "$CC" -std=c99 "$define" "$here/consumer.c" $static -o "$module.static"
        for program in "$module".*; do run "./$program"; done
    done
    # A program that calls OpenCL itself, and the one of docs/embedding.md.
    flags="$(pkg-config --cflags --libs sparcl OpenCL) -Wl,-rpath,$(pkg-config --variable=libdir sparcl)"
    for example in host_queue row_sparse_step; do
        # shellcheck disable=SC2086
        "$CC" -std=c99 -Wall -Wextra -Werror "$prefix/share/doc/sparcl/examples/$example.c" $flags -o $example ||
            fail "$example with pkg-config"
    done
    runpath "$work/pkg_config"
}

step_subdirectory() {
    rm -rf "$work/add_subdirectory" "$work/fetch_content"
    for way in add_subdirectory fetch_content; do
        quietly "$CMAKE" -S "$here/subdirectory" -B "$work/$way" -G Ninja -DSPARCL_WAY=$way -DSPARCL_ROOT="$root" \
            -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX"
        quietly "$CMAKE" --build "$work/$way"
        for program in "$work/$way"/use_*; do run "$program"; done
        runpath "$work/$way"
    done
}

# The core alone, without CLBlast: fast products fall back to exact ones, and say so.
step_without_clblast() {
    quietly "$CMAKE" -S "$root" -B "$work/without_clblast" -G Ninja -DCMAKE_C_COMPILER="$CC" \
        -DSPARCL_CLBLAST=OFF -DSPARCL_TRAIN=OFF -DSPARCL_EXAMPLES=OFF -DSPARCL_INSTALL=OFF
    quietly "$CMAKE" --build "$work/without_clblast" --target test_gemm sparcl_shared
    if objdump -p "$work/without_clblast/libsparcl.so" | grep -i 'NEEDED.*clblast'; then
        fail "CLBlast is linked all the same"
    fi
    "$work/without_clblast/tests/test_gemm"
}

# The source package has what a build needs, and no data.
step_source() {
    rm -rf "$work/source"
    mkdir -p "$work/source"
    cd "$work/source"
    quietly "$CPACK" --config "$BUILD_DIR/CPackSourceConfig.cmake" -B "$work/source"
    tar -tf "sparcl-$VERSION.tar.xz" >list
    for file in CMakeLists.txt cl/prelude.cl tests/CMakeLists.txt tools/test; do
        grep -qx "sparcl-$VERSION/$file" list || fail "the source package has no $file"
    done
    if grep -E '/examples/data/|/\.git/|/(build|out)/' list; then
        fail "that does not belong in a source package"
    fi
}

mkdir -p "$work"
"step_$1"
