"""test_gpu_compile.py: what tools/dev/gpu-compile reads in recorded outputs of compilers, and its bounds."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import struct
import sys
import tempfile
import types
import unittest

DEV = pathlib.Path(__file__).resolve().parents[2] / "tools" / "dev"
sys.path.insert(0, str(DEV))
sys.dont_write_bytecode = True
import gpu_compilers as gpu  # noqa: E402 (its folder is named above)


def load_tool() -> types.ModuleType:
    loader = importlib.machinery.SourceFileLoader("gpu_compile", str(DEV / "gpu-compile"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


tool = load_tool()
FLAGS = "-cl-std=CL1.2 -DSPC_GPU=1 -DSPC_GROUP=128"

# ptxas 12.9 for sm_90: a kernel that calls a function; one that spills, by hand.
PTXAS = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'spmm' for 'sm_90'
ptxas info    : Function properties for spmm
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 78 registers, used 1 barriers, 64 bytes cumulative stack size, 6656 bytes smem
ptxas info    : Compile time = 822.742 ms
ptxas info    : Function properties for put_element
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'sort_move' for 'sm_90'
ptxas info    : Function properties for sort_move
    24 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 56 registers, used 1 barriers, 27648 bytes smem, 464 bytes cmem[0]
"""

# clang 15 for gfx90a: the lines of two kernels that count, and of a function, which is no kernel.
ASSEMBLY = """\
\t.protected\tspmm_carry              ; -- Begin function spmm_carry
; ScratchSize: 0
; Occupancy: 8
\t.p2align\t2                               ; -- Begin function put_element
; Function info:
; ScratchSize: 0
\t.protected\tspmm                    ; -- Begin function spmm
; ScratchSize: 16
; Occupancy: 5
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .name:           offsets
    .group_segment_fixed_size: 0
    .name:           spmm_carry
    .private_segment_fixed_size: 0
    .sgpr_spill_count: 0
    .vgpr_count:     29
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .group_segment_fixed_size: 6656
    .name:           spmm
    .private_segment_fixed_size: 16
    .sgpr_spill_count: 1
    .vgpr_count:     94
    .vgpr_spill_count: 3
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 1
...
"""

# ocloc 22.43 for pvc.
ZE_INFO = """\
---
version:         '1.20'
kernels:
  - name:            gemv
    execution_env:
      barrier_count:   1
      grf_count:       128
      required_work_group_size: [ 128, 1, 1 ]
      simd_size:       32
      slm_size:        1024
    payload_arguments:
      - arg_type:        global_id_offset
        offset:          0
        size:            12
  - name:            renorm_rows
    execution_env:
      grf_count:       256
      simd_size:       16
    payload_arguments:
      - arg_type:        local_size
        offset:          12
        size:            12
    per_thread_memory_buffers:
      - type:            scratch
        usage:           single_space
        size:            4096
  - name:            gemm
    execution_env:
      grf_count:       128
      simd_size:       8
    per_thread_memory_buffers:
      - type:            global
        usage:           private_space
        size:            128
        is_simt_thread:  true
  - name:            Intel_Symbol_Table_Void_Program
    execution_env:
      grf_count:       0
      simd_size:       0
kernels_misc_info:
  - name:            gemv
    args_info:
      - index:           0
        name:            a
"""
OCLOC = """
warning: kernel renorm_rows  compiled SIMD32 allocated 128 regs and spilled around 26

Build succeeded.
"""

HEAD = "target\toptions\tprogram\tkernel\twhat\tbound\tgoal\n"
GOALS = HEAD + "*\t*\t*\t*\tspills\t0\t0\nsm_90\t*\tscan+sort\t*\toccupancy\t0.5\t0.5\n"


def needs(spills: int = 0, occupancy: float = 1.0, program: str = "scan+sort", target: str = "sm_90") -> gpu.Kernel:
    return {"target": target, "options": "f32", "program": program, "kernel": "sort_move", "spills": spills,
            "occupancy": occupancy}


def elf_with(name: bytes, text: bytes) -> bytes:
    """A file of a section with the text and one with the names."""
    names = b"\0" + name + b"\0.strtab\0"
    head = bytearray(64)
    struct.pack_into("<Q", head, 40, 64 + len(text) + len(names))
    struct.pack_into("<HH", head, 60, 2, 1)
    sections = struct.pack("<I20xQQ24x", 1, 64, len(text))
    sections += struct.pack("<I20xQQ24x", 2 + len(name), 64 + len(text), len(names))
    return bytes(head) + text + names + sections


class Compilers(unittest.TestCase):
    def check(self, found: gpu.Kernel, *expected: object) -> None:
        names = ("kernel", "registers", "spills", "private", "local", "width", "occupancy")
        self.assertEqual(found, dict(zip(names, expected, strict=True)))

    def test_ptxas_with_a_call_and_with_spills(self) -> None:
        spmm, sort_move = gpu.read_ptxas(PTXAS, gpu.TARGETS["nvidia"]["sm_90"], FLAGS)
        # 78 registers are 80: 6 warps of each of the four parts.
        self.check(spmm, "spmm", 78, 0, 64, 6656, 32, 24 / 64)
        # 28 KiB of each group: 8 groups of 4 warps.
        self.check(sort_move, "sort_move", 56, 20, 24, 27648, 32, 32 / 64)

    def test_amd_assembly(self) -> None:
        carry, spmm = gpu.read_amd(ASSEMBLY, gpu.TARGETS["amd"]["gfx90a"], FLAGS)
        self.check(carry, "spmm_carry", 29, 0, 0, 0, 64, 1.0)
        # Registers leave 20 waves, local memory 9 groups of two.
        self.check(spmm, "spmm", 94, 3, 16, 6656, 64, 18 / 32)

    def test_amd_groups_on_a_unit_are_limited(self) -> None:
        carry, _ = gpu.read_amd(ASSEMBLY, gpu.TARGETS["amd"]["gfx906"], FLAGS.replace("128", "64"))
        self.check(carry, "spmm_carry", 29, 0, 0, 0, 64, 16 / 40)

    def test_intel_file_and_messages(self) -> None:
        text = gpu.section(elf_with(b".ze_info", ZE_INFO.encode()), ".ze_info")
        gemv, renorm, gemm = gpu.read_intel(text, OCLOC, gpu.TARGETS["intel"]["pvc"], FLAGS)
        self.check(gemv, "gemv", 128, 0, 0, 1024, 32, 1.0)
        # With 256 registers half of the threads.
        self.check(renorm, "renorm_rows", 256, 26, 4096, 0, 16, 0.5)
        # Memory of each of 8 work-items.
        self.check(gemm, "gemm", 128, 0, 1024, 0, 8, 1.0)

    def test_a_file_without_the_section(self) -> None:
        with self.assertRaisesRegex(gpu.FailedError, "no section .ze_info"):
            gpu.section(elf_with(b".text", b""), ".ze_info")

    def test_a_compiler_that_is_missing_or_fails(self) -> None:
        with self.assertRaisesRegex(gpu.MissingError, "install it"):
            gpu.find(["no-such-compiler"], "install it")
        with self.assertRaisesRegex(gpu.FailedError, "sh -c 'echo why; exit 3': exit status 3\nwhy"):
            gpu.call(["sh", "-c", "echo why; exit 3"])


class Bounds(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "bounds.tsv"

    def compare(self, bounds: str, *kernels: gpu.Kernel) -> tuple[bool, str]:
        self.path.write_text(bounds)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            holds = tool.compare(list(kernels), tool.read_bounds(self.path))
        return holds, out.getvalue()

    def test_goals(self) -> None:
        self.assertEqual(self.compare(GOALS, needs())[0], True)
        holds, text = self.compare(GOALS, needs(spills=2, occupancy=0.375))
        self.assertFalse(holds)
        self.assertIn("sm_90 f32 scan+sort sort_move spills: 2, expected 0\n", text)
        self.assertIn("sm_90 f32 scan+sort sort_move occupancy: 0.375, expected 0.5\n", text)
        self.assertIn("1 kernels: 2 exceed their bounds, 2 goals are missed", text)
        # Of another program or target there is no goal.
        self.assertTrue(self.compare(GOALS, needs(occupancy=0.1, program="scan"))[0])
        self.assertTrue(self.compare(GOALS, needs(occupancy=0.1, target="pvc"))[0])

    def test_a_kernel_that_misses_a_goal_has_a_bound(self) -> None:
        bounds = GOALS + "sm_90\tf32\tscan+sort\tsort_move\toccupancy\t0.375\t0.5\n"
        holds, text = self.compare(bounds, needs(occupancy=0.375))
        self.assertTrue(holds)
        self.assertIn("0 exceed their bounds, 1 goals are missed, 0 kernels are better", text)
        self.assertFalse(self.compare(bounds, needs(occupancy=0.3125))[0])
        self.assertIn("1 kernels are better", self.compare(bounds, needs(occupancy=0.4375))[1])

    def test_written_bounds_hold_and_keep_what_was_not_compiled(self) -> None:
        here = "sm_90\tf32\tscan+sort\told\tspills\t3\t0\n"
        other = "gfx90a\tf32\tscan+sort\tsort_move\tspills\t3\t0\n"
        gone = "gfx90a\tf32\tscan+gone\tsort_move\tspills\t3\t0\n"
        self.path.write_text(GOALS + here + other + gone)
        kernel = needs(spills=7, occupancy=0.3125)
        tool.write_bounds(self.path, [kernel], [gpu.Program("scan+sort", "f32", FLAGS, "")])
        written = self.path.read_text()
        self.assertEqual(written, GOALS + other + "sm_90\tf32\tscan+sort\tsort_move\toccupancy\t0.3125\t0.5\n"
                         "sm_90\tf32\tscan+sort\tsort_move\tspills\t7\t0\n")
        self.assertTrue(self.compare(written, kernel)[0])


if __name__ == "__main__":
    unittest.main()
