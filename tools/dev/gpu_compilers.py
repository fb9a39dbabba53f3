"""gpu_compilers.py: the compilers of three vendors of GPUs, and what they say of each kernel of a program.

  NVIDIA  sm_70, sm_90                     clang-15 with libclc, then ptxas
  AMD     gfx906, gfx90a, gfx1030, gfx1100 clang-15 with libclc
  Intel   tgllp, dg2, pvc                  ocloc
"""
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterable
from typing import Any

CACHES = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
CLANG_PACKAGES = "apt-get install clang-15 libclc-15 libclc-15-dev"

Kernel = dict[str, Any]


class MissingError(Exception):
    """A compiler is not installed."""


class FailedError(Exception):
    """A compiler has failed."""


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    options: str  # the name of a set of options
    flags: str
    source: str


@dataclasses.dataclass(frozen=True)
class Unit:
    """What the groups on one compute unit of a target share."""
    waves: int
    groups: int
    local: int         # bytes of local memory
    reserved: int = 0  # bytes of it that each group takes besides its own
    has_f64: bool = True


# NVIDIA: a multiprocessor; each of its four parts has 16384 registers. AMD: a compute unit of four SIMDs, or from
# gfx1030 on a pair with as many. Intel: a dual subslice or Xe core.
TARGETS = {
    "nvidia": {"sm_70": Unit(64, 32, 96 << 10), "sm_90": Unit(64, 32, 228 << 10, 1 << 10)},
    "amd": {"gfx906": Unit(40, 16, 64 << 10), "gfx90a": Unit(32, 16, 64 << 10),
            "gfx1030": Unit(64, 32, 128 << 10), "gfx1100": Unit(64, 32, 128 << 10)},
    "intel": {"tgllp": Unit(112, 64, 128 << 10, has_f64=False), "dg2": Unit(128, 64, 128 << 10, has_f64=False),
              "pvc": Unit(64, 64, 128 << 10)},
}


def kernel(unit: Unit, flags: str, waves: int, **needs: Any) -> Kernel:
    """What a kernel needs, and its occupancy, where registers leave space for `waves` waves."""
    group = int(re.findall(r"-DSPC_GROUP=(\d+)", flags)[-1])
    waves_of_group = -(-group // needs["width"])
    groups = min(unit.groups, min(waves, unit.waves) // waves_of_group)
    if needs["local"]:
        groups = min(groups, unit.local // (needs["local"] + unit.reserved))
    return needs | {"occupancy": groups * waves_of_group / unit.waves}


running: set[subprocess.Popen[bytes]] = set()


def call(command: list[str]) -> str:
    """What a command prints."""
    out, none = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=none, stdout=out, stderr=subprocess.STDOUT) as process:
        running.add(process)
        text = process.communicate()[0].decode(errors="replace")
        running.discard(process)
    if process.returncode != 0:
        raise FailedError(f"{shlex.join(command)}: exit status {process.returncode}\n{text}")
    return text


def stop() -> None:
    """Ends the compilers that run."""
    for process in list(running):
        process.kill()


def find(names: Iterable[str], advice: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        raise MissingError(advice)
    return found


def library(name: str) -> str:
    path = pathlib.Path("/usr/lib/clc") / name
    if not path.is_file():
        raise MissingError(f"{path} is missing: {CLANG_PACKAGES}")
    return str(path)


def clang(*options: str) -> list[str]:
    return [find(["clang-15"], f"clang-15 is missing: {CLANG_PACKAGES}"), "-x", "cl", "-O3", "-S",
            "-Wno-linker-warnings", "-Dcl_clang_storage_class_specifiers", *options]


def cc1(*options: str) -> list[str]:
    return [word for option in options for word in ("-Xclang", option)]


class Nvidia:
    """PTX by clang, the same for all targets, and what ptxas says of it."""

    def __init__(self) -> None:
        self.clang = clang("-target", "nvptx64-nvidia-nvcl", *cc1(
            "-target-cpu", "sm_70", "-target-feature", "+ptx75",
            "-mlink-builtin-bitcode", library("nvptx64--nvidiacl.bc")))
        pypi = CACHES.glob("sparcl-test/nvidia/lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas")
        self.ptxas = find([os.environ.get("SPARCL_PTXAS", ""), *map(str, pypi), "ptxas"],
                          "ptxas is missing: tools/test --all installs it, as pip does with nvidia-cuda-nvcc-cu12; "
                          "SPARCL_PTXAS can name it")
        self.command = [*self.clang, self.ptxas]
        self.version = call([self.clang[0], "--version"]) + call([self.ptxas, "--version"])

    def compile(self, program: Program, targets: list[str], folder: pathlib.Path) -> dict[str, list[Kernel]]:
        ptx = folder / "program.ptx"
        call([*self.clang, *program.flags.split(), str(folder / "program.cl"), "-o", str(ptx)])
        return {target: read_ptxas(call([self.ptxas, "-v", f"-arch={target}", str(ptx), "-o", os.devnull]),
                                   TARGETS["nvidia"][target], program.flags) for target in targets}


def read_ptxas(text: str, unit: Unit, flags: str) -> list[Kernel]:
    kernels = []
    for name, rest in re.findall(r"Compiling entry function '(\w+)'(.*?)(?=Compiling entry|\Z)", text, re.S):
        registers = int(re.findall(r"Used (\d+) registers", rest)[0])
        # Of the kernel, and of functions that it calls.
        frames = [[int(n) for n in found] for found in re.findall(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", rest)]
        kernels.append(kernel(
            # A warp gets them 256 at a time.
            unit, flags, 4 * (16384 // (-(-registers * 32 // 256) * 256)), kernel=name, registers=registers,
            spills=sum(stores + loads for _, stores, loads in frames), private=sum(frame for frame, _, _ in frames),
            local=sum(int(n) for n in re.findall(r"(\d+) bytes smem", rest)), width=32))
    return kernels


class Amd:
    """Assembly by clang, which has comments and metadata."""

    def __init__(self) -> None:
        self.command = clang("-target", "amdgcn-amd-amdhsa", "-nogpulib",
                             *cc1("-mlink-builtin-bitcode", library("amdgcn--amdhsa.bc")))
        self.version = call([self.command[0], "--version"])

    def compile(self, program: Program, targets: list[str], folder: pathlib.Path) -> dict[str, list[Kernel]]:
        found = {}
        for target in targets:
            out = folder / f"{target}.s"
            call([*self.command, f"-mcpu={target}", *program.flags.split(), str(folder / "program.cl"), "-o", str(out)])
            found[target] = read_amd(out.read_text(), TARGETS["amd"][target], program.flags)
        return found


def read_amd(text: str, unit: Unit, flags: str) -> list[Kernel]:
    code, _, metadata = text.partition("amdhsa.kernels:")
    # Waves of a SIMD. (Those that local memory allows are too many there: it is divided by four SIMDs.)
    occupied = {name: int(waves) for name, waves in re.findall(
        r"-- Begin function (\w+)\n(?:(?!.*-- Begin function).*\n)*?; Occupancy: (\d+)", code)}
    kernels = []
    for part in re.split(r"^  - (?=\.)", metadata, flags=re.M)[1:]:
        has = dict(re.findall(r"^(?:    )?\.(\w+): +(\S+)$", part, re.M))
        kernels.append(kernel(
            unit, flags, 4 * occupied[has["name"]], kernel=has["name"], registers=int(has["vgpr_count"]),
            spills=int(has["vgpr_spill_count"]), private=int(has["private_segment_fixed_size"]),
            local=int(has["group_segment_fixed_size"]), width=int(has["wavefront_size"])))
    return kernels


class Intel:
    """An ELF file by ocloc, with a section of text on its kernels; the messages have the spills."""

    def __init__(self) -> None:
        self.command = [find(["ocloc"], "ocloc is missing: apt-get install intel-opencl-icd, then delete "
                             "/etc/OpenCL/vendors/intel.icd, or the tests see a GPU's driver"),
                        "compile", "--format", "zebin", "-exclude_ir", "-output_no_suffix"]
        self.version = call(["dpkg-query", "-W", "intel-opencl-icd", "libigc1", "libopencl-clang14"])

    def compile(self, program: Program, targets: list[str], folder: pathlib.Path) -> dict[str, list[Kernel]]:
        found = {}
        for target in targets:
            log = call([*self.command, "-file", str(folder / "program.cl"), "-device", target,
                        "-options", program.flags, "-out_dir", str(folder), "-output", target])
            elf = (folder / target).read_bytes()
            text = section(elf, ".ze_info") if b"\0.text." in elf else ""  # or there are no kernels
            found[target] = read_intel(text, log, TARGETS["intel"][target], program.flags)
        return found


def section(elf: bytes, name: str) -> str:
    """A section of a little-endian ELF file of 64 bits."""
    table, = struct.unpack_from("<Q", elf, 40)
    count, names = struct.unpack_from("<HH", elf, 60)
    sections = [struct.unpack_from("<I20xQQ", elf, table + 64 * i) for i in range(count)]  # name, offset, bytes
    for at, offset, size in sections:
        if elf[sections[names][1] + at:].startswith(name.encode() + b"\0"):
            return elf[offset:offset + size].decode()
    raise FailedError(f"ocloc has written no section {name}")


def read_intel(text: str, log: str, unit: Unit, flags: str) -> list[Kernel]:
    spilled = dict(re.findall(r"kernel (\w+) .*spilled around (\d+)", log))
    kernels = []
    for part in re.split(r"^  - name: +", text.partition("kernels_misc_info:")[0], flags=re.M)[1:]:
        name = part.split()[0]
        if name.startswith("Intel_"):  # the constants of the program
            continue
        has = {key: int(number) for key, number in re.findall(r"^      (\w+): +(\d+)$", part, re.M)}
        width = has["simd_size"]
        buffers = re.findall(r"^        size: +(\d+)\n( +is_simt_thread: +true)?",
                             part.partition("per_thread_memory_buffers:")[2], re.M)
        private = sum(int(size) * (width if of_item else 1) for size, of_item in buffers)
        kernels.append(kernel(
            unit, flags, unit.waves * 128 // has["grf_count"], kernel=name, registers=has["grf_count"],
            spills=int(spilled.get(name, 0)), private=private, local=has.get("slm_size", 0), width=width))
    return kernels


Vendor = Nvidia | Amd | Intel
VENDORS: dict[str, Callable[[], Vendor]] = {"nvidia": Nvidia, "amd": Amd, "intel": Intel}
