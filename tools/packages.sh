# shellcheck shell=bash disable=SC2034
# packages.sh: sourced by quickstart and test: the Debian and Ubuntu packages that they need.

# What the library, the tool and the tests are built with.
packages_build=(build-essential cmake ninja-build pkg-config ocl-icd-opencl-dev opencl-c-headers
    libclblast-dev libxxhash-dev libarchive-dev libjansson-dev libpopt-dev libsmartcols-dev
    libcmocka-dev nettle-dev)
# An OpenCL implementation for any CPU.
packages_run=(pocl-opencl-icd)
# More implementations, and what checks the sources. Tests that miss one of these are skipped.
packages_test=(mesa-opencl-icd oclgrind clang libclang-rt-dev shellcheck librandom123-dev locales
    abigail-tools python3-yaml python3-scipy python3-venv ca-certificates man-db mandoc zsh fish doxygen chromium)
# For the Python package; what comes from PyPI is in tools/test.
packages_python=(python3-dev)
# The compilers of GPUs, for tools/dev/gpu-compile. (libclc-14 would remove Mesa's OpenCL.)
packages_gpu=(clang-15 libclc-15 libclc-15-dev intel-opencl-icd)

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# missing PACKAGE...: those that are not installed
missing() {
    local package
    for package; do
        is_installed "$package" || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}
may_install() { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }

# need_packages INSTALL PACKAGE...: install what is missing; with INSTALL=no only name it. Fails only
# where something is still missing that a build needs.
need_packages() {
    local install=$1 expected=() absent=() package
    shift
    if ! command -v dpkg-query >/dev/null; then
        echo "This is no Debian or Ubuntu. Needed are what these packages hold:"
        echo "  $*"
        return 0
    fi
    mapfile -t expected < <(missing "$@")
    [ ${#expected[@]} -gt 0 ] || return 0
    if [ "$install" = no ]; then
        echo "Not installed: ${expected[*]}"
    elif ! may_install; then
        echo "Not installed: ${expected[*]}"
        echo "Only root may install them, and there is no sudo here. As root:"
        echo "  apt-get update && apt-get install --no-install-recommends ${expected[*]}"
    else
        echo "Installing: ${expected[*]}"
        as_root apt-get update -qq
        # A name that this release does not have must not stop the others.
        for package in "${expected[@]}"; do
            apt-cache show "$package" >/dev/null 2>&1 || absent+=("$package")
        done
        [ ${#absent[@]} -eq 0 ] || echo "This release has no package: ${absent[*]}"
        mapfile -t expected < <(printf '%s\n' "${expected[@]}" | grep -vxF "$(printf '%s\n' "${absent[@]:-//}")")
        [ ${#expected[@]} -eq 0 ] ||
            # Of intel-opencl-icd the compiler, not the driver: the tests would take it for a GPU.
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
                -o Dpkg::Options::=--path-exclude=/etc/OpenCL/vendors/intel.icd "${expected[@]}"
    fi
    mapfile -t expected < <(missing "${packages_build[@]}")
    if [ ${#expected[@]} -gt 0 ]; then
        echo "A build needs: ${expected[*]}" >&2
        return 1
    fi
}
