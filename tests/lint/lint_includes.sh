#!/bin/sh
# Includes go one way: tools, train, ops, prim, device, base. A folder sees what stands in its row.
. "$(dirname "$0")/lint.sh"

core='sparcl/(context|device|loss|ops|optim|plan|probe|profile|sparcl|status|tensor|tune)\.h'
row() {
    case $1 in
    include/sparcl/opencl.h) echo 'sparcl/context\.h|CL/cl\.h' ;;
    include/sparcl/data.h) echo 'sparcl/(status|tensor)\.h' ;;
    include/sparcl/model.h) echo "sparcl/data\.h|$core" ;;
    include/sparcl/train.h) echo "sparcl/(data|model)\.h|$core" ;;
    include/*) echo "$core" ;;
    src/base/*) echo 'base/.*|sparcl/status\.h' ;;
    src/device/blas.c) echo 'base/.*|device/.*|clblast_c\.h' ;;
    src/device/cache.c) echo 'base/.*|device/.*|xxhash\.h' ;;
    src/device/*) echo 'base/.*|device/.*|sparcl/(status|context|device|tensor|opencl|probe|profile|tune)\.h|CL/cl\.h' ;;
    src/prim/*) echo 'base/.*|device/.*|prim/.*' ;;
    src/ops/*) echo "base/.*|device/.*|prim/.*|ops/.*|$core" ;;
    src/optim/*) echo "base/.*|device/.*|prim/.*|ops/.*|optim/.*|$core" ;;
    src/spec/*) echo "spec/.*|$core" ;;
    src/data/*) echo "base/.*|data/.*|sparcl/data\.h|$core|archive(_entry)?\.h|xxhash\.h" ;;
    src/model/*) echo "base/.*|model/.*|sparcl/(data|model)\.h|$core|jansson\.h" ;;
    src/train/*) echo "base/.*|model/.*|train/.*|sparcl/(data|model|train)\.h|$core" ;;
    tools/doctor_icd.c) echo "[a-z_]+\.h|sparcl/.*|CL/cl(_icd)?\.h" ;; # tries drivers without the loader
    tools/*) echo "[a-z_]+\.h|spec/.*|sparcl/(data|model|train)\.h|$core|libsmartcols/libsmartcols\.h" ;;
    examples/*) echo 'sparcl/.*|CL/cl\.h' ;;
    *) echo '.*' ;;
    esac
}

includes() { sed -nE 's/^ *# *include *[<"]([^>"]*)[>"].*/\1/p' "$1"; }

# The C library and POSIX are for all.
system='(assert|ctype|dirent|dlfcn|errno|fcntl|float|inttypes|limits|locale|math|poll|pthread|setjmp'
system="$system|signal|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd"
system="$system|sys/(file|ioctl|mman|resource|stat|time|types|wait))\\.h"

for file in $(sources include src tools examples); do
    allowed="^($(row "$file")|$system)\$"
    for header in $(includes "$file"); do
        echo "$header" | grep -qE "$allowed" || finding "$file: must not include $header"
    done
done
for file in $(sources include src); do
    case $file in src/device/* | include/sparcl/opencl.h) continue ;; esac
    if grep -qE '^ *# *include *[<"]sparcl/opencl.h' "$file"; then
        finding "$file: only src/device includes sparcl/opencl.h"
    fi
done
finish
