#!/bin/sh
# Includes go one way: tools, train, graph, plan, optim, views, ops, prim, probe, context, launch, tune, program, device, base.
# A folder sees what stands in its row.
. "$(dirname "$0")/lint.sh"

core='sparcl/(context|device|graph|graph_operations|ops|ops/[a-z]+|optim|optim_text|plan|probe|profile|sharded|sparcl|status|tensor|tune|views)\.h'
training='sparcl/(apply|architecture|auto|data|data_read|model|train)\.h'
layer='sparcl/(status|context|device|tensor|probe|profile|tune)\.h'
opencl='sparcl/opencl\.h|CL/cl\.h'
# What a context's work is made of; what a context itself is made of is for those that call OpenCL.
run='(device/ctx|program/facts|tune/tuned|launch/[a-z]+)\.h'
row() {
    case $1 in
    include/sparcl/opencl.h) echo 'sparcl/context\.h|CL/cl\.h' ;;
    include/sparcl/data.h) echo 'sparcl/data_read\.h' ;;
    include/sparcl/data_read.h) echo 'sparcl/(status|tensor)\.h' ;;
    include/sparcl/model.h) echo "sparcl/(architecture|data)\.h|$core" ;;
    include/sparcl/apply.h | include/sparcl/train.h) echo "sparcl/(architecture|data|model)\.h|$core" ;;
    include/sparcl/auto.h) echo "sparcl/train\.h|$core" ;;
    include/sparcl/sparcl.h) echo "sparcl/deprecated\.h|$core" ;;
    include/*) echo "$core" ;;
    src/base/*) echo 'base/.*|sparcl/status\.h' ;;
    src/device/*) echo "base/.*|device/.*|$opencl|$layer" ;;
    src/program/cache.c) echo "base/.*|(device|program)/.*|xxhash\.h" ;;
    src/program/*) echo "base/.*|(device|program)/.*|$opencl|$layer" ;;
    src/tune/*) echo "base/.*|(device|program|tune)/.*|$layer" ;;
    src/launch/blas.c) echo 'base/.*|(device|launch)/.*|clblast_c\.h' ;;
    src/launch/*) echo "base/.*|(device|program|tune|launch)/.*|$opencl|$layer" ;;
    src/context/version.c) echo "sparcl/sparcl\.h" ;;
    src/context/*) echo "base/.*|(device|program|tune|launch|context)/.*|$opencl|$layer" ;;
    src/probe/*) echo "base/.*|$run|probe/.*|$layer" ;;
    src/prim/*) echo "base/.*|$run|prim/.*" ;;
    src/ops/*) echo "base/.*|$run|(prim|ops)/.*|$core" ;;
    src/views/*) echo "base/.*|$run|(ops|views)/.*|$core" ;;
    src/optim/*) echo "base/.*|$run|(prim|ops|optim)/.*|\.\./cl/hyper\.cl|$core" ;;
    src/plan/*) echo "base/.*|$run|plan/.*|$core" ;;
    src/graph/*) echo "base/.*|device/ctx\.h|ops/[a-z]+/(bags|beside|pattern|rows|sum|tail|product_loss|unary)\.h|optim/(absent|lazy_state|step)\.h|graph/.*|$core" ;; # two calls in one launch
    src/spec/*) echo "spec/.*|$core" ;;
    src/data/*) echo "base/.*|data/.*|sparcl/data\.h|$core|archive(_entry)?\.h|xxhash\.h" ;;
    src/model/*) echo "base/.*|model/.*|$training|$core|jansson\.h" ;;
    src/train/checkpoint_sum.c) echo 'train/checkpoint_sum\.h|xxhash\.h' ;;
    src/train/*) echo "base/.*|data/formats/formats\.h|model/.*|train/.*|$training|$core" ;;
    tools/sparcl/doctor_icd.c) echo "[a-z_]+\.h|sparcl/.*|CL/cl(_icd)?\.h" ;; # tries drivers without the loader
    tools/sparcl/file_sum.c) echo '[a-z_]+\.h|nettle/sha2\.h' ;;
    tools/*) echo "[a-z_]+\.h|base/(clock|nearest|writer)\.h|data/formats/formats\.h|spec/.*|$training|$core|libsmartcols/libsmartcols\.h" ;;
    examples/*) echo 'sparcl/.*|CL/cl\.h' ;;
    *) echo '.*' ;;
    esac
}

includes() { sed -nE 's/^ *# *include *[<"]([^>"]*)[>"].*/\1/p' "$1"; }

# The C library and POSIX are for all.
system='(assert|ctype|dirent|dlfcn|errno|fcntl|float|inttypes|limits|locale|math|poll|pthread|pwd|setjmp'
system="$system|signal|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd"
system="$system|sys/(auxv|file|ioctl|mman|prctl|resource|stat|time|types|wait))\\.h"

for file in $(sources include src tools examples); do
    allowed="^($(row "$file")|$system)\$"
    for header in $(includes "$file" | grep -vE "$allowed"); do
        finding "$file: must not include $header"
    done
done
for file in $(sources include src); do
    case $file in src/device/* | src/program/* | src/launch/* | src/context/* | include/sparcl/opencl.h) continue ;; esac
    if grep -qE '^ *# *include *[<"]sparcl/opencl.h' "$file"; then
        finding "$file: only the folders that call OpenCL include sparcl/opencl.h"
    fi
done
finish
