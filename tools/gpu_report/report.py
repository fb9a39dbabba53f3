#!/usr/bin/env python3
"""Measures sparcl on the OpenCL GPU of this machine and writes a report; tools/gpu-report starts it.

The parts: device, doctor, tests, comparison with the peers, training, tuning (without a limit of time), report.
Meanwhile the cases are made and the peer in CUDA is compiled."""
import argparse
import contextlib
import ctypes.util
import datetime
import glob
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools" / "gpu_report"), str(ROOT / "bench")]
sys.dont_write_bytecode = True
import goals  # noqa: E402 (their folders are named above)
import jobs  # noqa: E402
import pack  # noqa: E402
import run_tests  # noqa: E402

WORK = pack.WORK
# The driver of NVIDIA may be there without the file that names it to OpenCL.
NVIDIA = "libnvidia-opencl.so"
NVIDIA_FOLDERS = ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib")
CASES = (*jobs.GPU_CASES, "emb", "embbag")
SHORT_CASES = ("batch", "emb", "embbag")


def say(text: str) -> None:
    print(f"== {text}", flush=True)


class Budget:
    """Of a run with a limit of time: when each part ends at the latest. What a part leaves is for the next one."""
    ENDS: ClassVar = {"tests": 0.45, "comparison": 0.8, "training": 0.96, "report": 1.0}

    def __init__(self, minutes: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.begin = clock, clock()
        self.seconds = minutes * 60 if minutes else math.inf

    def left(self, part: str) -> float:
        return max(0.0, self.begin + self.seconds * self.ENDS[part] - self.clock())

    @property
    def is_limited(self) -> bool:
        return self.seconds < math.inf


def kill(process: subprocess.Popen[str]) -> None:
    """With all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def call(command: list[Any], seconds: float = math.inf, grace: float = 20, echo: bool = False,
         lines: list[str] | None = None, **more: Any) -> tuple[int, str]:
    """Exit status (124 after its time) and output, which `lines` has also when this program is interrupted. After its
    time, or then, the command is interrupted, and killed if it has not ended after the grace."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True, **more)
    assert process.stdout, "it is a pipe"
    lines, late = [] if lines is None else lines, threading.Event()

    def interrupt() -> None:
        late.set()
        process.send_signal(signal.SIGINT)

    timers = [threading.Timer(seconds, interrupt), threading.Timer(seconds + grace, kill, [process])]
    for timer in timers if seconds < math.inf else []:
        timer.start()
    try:
        with process.stdout:
            for line in process.stdout:
                lines.append(line)
                if echo:
                    print(line, end="", flush=True)
        process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            kill(process)
        raise
    finally:
        for timer in timers:
            timer.cancel()
    if late.is_set():
        lines.append(f"It was ended after {seconds:.0f} s.\n")
        return 124, "".join(lines)
    return process.returncode, "".join(lines)


class Background:
    """A command that runs beside others; its output goes to a file."""

    def __init__(self, command: list[Any], log: pathlib.Path) -> None:
        self.log = log
        with log.open("w") as file:
            self.process = subprocess.Popen([str(word) for word in command], stdout=file, stderr=subprocess.STDOUT,
                                            text=True, start_new_session=True)

    def succeeds(self, seconds: float) -> bool:
        try:
            return self.process.wait(None if math.isinf(seconds) else seconds) == 0
        except subprocess.TimeoutExpired:
            self.end()
            return False

    def end(self) -> None:
        if self.process.poll() is None:
            kill(self.process)
            self.process.wait()


# --- this machine ------------------------------------------------------------------------------

def is_loadable(library: str) -> bool:
    test = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    return subprocess.run([sys.executable, "-c", test, library], capture_output=True, check=False).returncode == 0


def use_libraries(folder: pathlib.Path) -> list[str]:
    """Of the packed libraries uses those that this machine has not, and the OpenCL loader, which must know layers."""
    used = WORK / "used"
    shutil.rmtree(used, ignore_errors=True)
    used.mkdir()
    names = sorted(path.name for path in folder.iterdir())
    names = [name for name in names if name.startswith("libOpenCL") or not is_loadable(name)]
    for name in names:
        (used / name).symlink_to(folder / name)
    os.environ["LD_LIBRARY_PATH"] = ":".join([str(used), *library_folders()])
    return names


def library_folders() -> list[str]:
    return [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]


def nvidia_library() -> str | None:
    found = [path for folder in NVIDIA_FOLDERS for path in sorted(glob.glob(f"{folder}/{NVIDIA}*"))]
    return found[0] if found else ctypes.util.find_library("nvidia-opencl")


def name_drivers() -> str:
    """A folder of .icd files for the OpenCL loader: those of the system, and one for NVIDIA's driver if it has none."""
    folder = WORK / "vendors"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    system = pathlib.Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))
    for path in system.glob("*.icd"):
        shutil.copy(path, folder)
    named = " ".join(path.read_text() for path in folder.glob("*.icd"))
    library = nvidia_library()
    text = ", ".join(sorted(path.name for path in folder.glob("*.icd"))) or "none"
    if library and "nvidia" not in named:
        (folder / "nvidia.icd").write_text(library + "\n")
        text += f", and one written for {library}"
    if library and "/" in library:  # last, as it may have a loader of its own
        os.environ["LD_LIBRARY_PATH"] = ":".join([*library_folders(), os.path.dirname(library)])
    os.environ["OCL_ICD_VENDORS"] = os.environ["SPARCL_VENDORS"] = str(folder)
    return text


def choose_device(platforms: list[dict[str, Any]], wanted: str | None) -> tuple[str | None, bool]:
    """The selector of the first usable GPU, else of the first usable device; whether it is a GPU."""
    usable = [device for platform in platforms for device in platform["devices"] if device["usable"]]
    gpus = [device for device in usable if "gpu" in device["types"]]
    if wanted:
        return wanted, wanted == "gpu" or any(wanted == d["select"] or wanted in d["name"] for d in gpus)
    first = (gpus or usable or [{"select": None}])[0]
    return first["select"], bool(gpus)


def find_python(peers: pathlib.Path) -> str | None:
    for python in (str(peers / "v/bin/python"), shutil.which("python3"), sys.executable):
        if python and shutil.which(python) and subprocess.run(
                [python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def start_nvcc(peers: pathlib.Path) -> tuple[Background | None, str]:
    """Compiles the peer in CUDA; without a driver only to see that it compiles."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        return None, "no nvcc: no comparison with cuSPARSE and CUB"
    version = re.search(r"release ([\d.]+)", call([nvcc, "--version"])[1])
    text = f"CUDA {version[1] if version else 'of unknown version'}"
    architecture, program = "native", peers / "peer_cuda"
    if not shutil.which("nvidia-smi") and not os.path.exists("/dev/nvidiactl"):
        architecture, program, text = "sm_90", WORK / "peer_cuda", f"{text}, but no driver: only compiled"
    command = [nvcc, "-O3", "-std=c++17", f"-arch={architecture}", ROOT / "bench/peer_cuda.cu", "-lcusparse",
               "-o", program]
    return Background(command, WORK / "nvcc.log"), text


# --- the parts ---------------------------------------------------------------------------------

class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.budget = options, Budget(options.minutes)
        self.packed: dict[str, Any] = {}
        self.build, self.commit = ROOT / "build" / "release", "unknown"
        if options.packed:
            self.packed = json.loads((WORK / "pack.json").read_text())
            self.build, self.commit = pathlib.Path(self.packed["build"]), self.packed["commit"]
        else:
            self.commit = call(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])[1].strip() or "unknown"
        self.sparcl = self.build / "sparcl"
        self.peers = pathlib.Path(options.peers)
        self.facts: dict[str, str] = {}
        self.sections: list[tuple[str, str]] = []
        self.beside: list[Background] = []
        self.device, self.record, self.gpu, self.copy_rate = "", dict[str, Any](), False, 0.0
        self.is_interrupted = False

    def sections_add(self, title: str, text: str) -> None:
        self.sections.append((title, f"```\n{text.strip() or 'nothing'}\n```"))

    def sections_add_call(self, title: str, command: list[Any], seconds: float) -> None:
        lines: list[str] = []
        try:
            call(command, seconds, echo=True, lines=lines)
        finally:  # also when it is interrupted
            self.sections_add(title, "".join(lines))

    def find_device(self) -> None:
        if self.packed:
            used = use_libraries(ROOT / "out/gpu-report/lib")
            self.facts["packed libraries used"] = ", ".join(used) or "none"
        self.facts["OpenCL drivers"] = name_drivers()
        code, text = call([self.sparcl, "version"])
        if code:
            sys.exit(f"gpu-report: {self.sparcl} does not run here: {text.strip()}\nIt needs a C library that is at "
                     "least as new as where it was built: pack on a machine with an older system.")
        self.facts["sparcl"] = f"{text.splitlines()[0]}, commit {self.commit}"
        platforms = json.loads(subprocess.run([self.sparcl, "devices", "--json"], capture_output=True, text=True,
                                              check=False).stdout or '{"platforms": []}')["platforms"]
        device, self.gpu = choose_device(platforms, self.options.device)
        if not device:
            sys.exit("gpu-report: expected an OpenCL device, found none; drivers named: "
                     f"{self.facts['OpenCL drivers']}.\nInstall the driver of the GPU, or PoCL. "
                     f"sparcl doctor:\n{call([self.sparcl, 'doctor'])[1]}")
        self.device = device
        if not self.gpu:
            say("There is no OpenCL GPU on this machine: the short version, on its processor.")
        self.measure_limits()
        self.record = next((d for p in platforms for d in p["devices"] if d["name"] == self.facts["device"]), {})
        self.facts["driver"] = f"{self.record.get('driver')}, {self.record.get('version')}"
        self.facts["compute units, memory"] = f"{self.record.get('units')}, {self.record.get('memory')} bytes"
        say(f"device {device}: {self.facts['device']}, driver {self.facts['driver']}")

    def measure_limits(self) -> None:
        text = subprocess.run([self.sparcl, "bench", "limits", "--device", self.device, "--json"], capture_output=True,
                              text=True, check=False).stdout
        measured = [json.loads(line) for line in text.splitlines()]
        if not measured:
            sys.exit(f"gpu-report: 'sparcl bench limits --device {self.device}' measured nothing; try 'sparcl doctor'")
        self.facts["device"] = measured[0]["device"]
        self.copy_rate = max(m["gbytes_per_s"] for m in measured if m["case"] == "copy" and m["bytes"] > 1 << 24)
        self.sections_add("Limits of the device", "\n".join(
            f"{m['case']:8} {'' if m['n'] < 2 else 'rows of ' + str(m['n']):12} {m['bytes']:>10} bytes "
            f"{'queued' if m['queued'] else 'alone':6} {m['median_s'] * 1e3:9.4f} ms {m['gbytes_per_s']:8.1f} GB/s"
            for m in measured))

    def start_beside(self) -> tuple[str | None, Background | None, Background | None]:
        """Starts what needs no device: the cases, and the compiler of the peer in CUDA."""
        (self.peers / "cases").mkdir(parents=True, exist_ok=True)
        python = find_python(self.peers)
        compiler, self.facts["CUDA"] = start_nvcc(self.peers) if self.gpu else (None, "not needed")
        names = SHORT_CASES if self.options.short or not self.gpu else CASES
        missing = [name for name in names if not (self.peers / "cases" / f"{name}.npz").exists()]
        maker = None
        if python and missing:
            maker = Background([python, ROOT / "bench/cases.py", self.peers / "cases", *missing],
                               WORK / "cases.log")
        self.beside = [each for each in (maker, compiler) if each]
        return python, maker, compiler

    def diagnose(self) -> None:
        say("sparcl doctor")
        seconds = self.budget.left("tests") / 3
        code, text = call([self.sparcl, "doctor", "--device", self.device, "--progress", "none"], seconds, grace=2)
        if code == 124:
            self.facts["doctor"] = f"not finished in {seconds:.0f} s"
            return
        verdict = text.strip().splitlines()[0] if text.strip() else "nothing printed"
        self.facts["doctor"] = verdict if code == 0 else f"{verdict} (exit status {code})"
        if code:
            self.sections_add("What the doctor found", text)

    def test(self) -> None:
        tests = self.packed["tests"] if self.packed else pack.tests_of(self.build)
        implementations = ["gpu"] * self.gpu + ["pocl"] * (WORK / "vendors/pocl.icd").exists()
        with (WORK / "tests.log").open("w") as log:
            for implementation in implementations:
                chosen, results = run_tests.by_importance(tests, implementation), list[run_tests.Result]()
                say(f"{len(chosen)} tests @{implementation} (log: {log.name})")
                try:
                    run_tests.run_all(chosen, self.budget.left("tests"), len(os.sched_getaffinity(0)), log, results)
                finally:  # also when they are interrupted
                    self.add_results(implementation, results, len(chosen) - len(results))

    def add_results(self, implementation: str, results: list[run_tests.Result], left: int) -> None:
        name, failed = f"tests @{implementation}", list(run_tests.failures(results))
        self.facts[name] = run_tests.counts(results) + f", {left} without a result" * (left > 0)
        say(self.facts[name])
        if failed:
            self.sections_add(f"Failed {name}", "\n\n".join(failed))
            print("\n".join(text.splitlines()[0] for text in failed))

    def compare(self, python: str) -> pathlib.Path:
        say("comparing with the peers (a line for each case)")
        results = WORK / "results.jsonl"
        results.unlink(missing_ok=True)
        command: list[Any] = [python, ROOT / "bench/run.py", "--peers-folder", self.peers, "--sparcl",
                              self.sparcl, "--device", self.device, "--log", WORK / "peers.log", "--out", results,
                              "--copy-rate", self.copy_rate]
        seconds = self.budget.left("comparison")
        if self.budget.is_limited:
            command += ["--limit", seconds, "--rounds", 3, "--seconds", 0.05]
        command += ["--gpu"] * self.gpu + ["--cases", ",".join(CASES)] * (self.gpu and not self.options.short)
        if self.options.short or not self.gpu:
            command += ["--cases", ",".join(SHORT_CASES), "--widths", "1,16,32", "--rounds", 2, "--seconds", 0.05]
        ops = self.options.ops or ("" if self.gpu else ",".join(jobs.GPU_PARTS))
        command += ["--ops", ops] * bool(ops)
        self.sections_add_call("Comparison", command, seconds + 30)
        return results

    def train(self, python: str, results: pathlib.Path) -> None:
        if not self.gpu:
            return
        say("training on the click log beside PyTorch")
        command = [python, ROOT / "bench/train.py", "--gpu", "--peers-folder", self.peers, "--sparcl",
                   self.sparcl, "--device", self.device, "--models", "adagrad", "fm", "--batches", "1024", "16384",
                   "--no-text", "--rounds", "2", "--epochs", "3", "--out", results]
        if self.budget.is_limited:
            command += ["--limit", self.budget.left("training")]
        self.sections_add_call("Training", command, self.budget.left("report"))

    def tune(self) -> None:
        if self.budget.is_limited:
            return
        say("tuning (a line for each class of inputs)")
        # The comparison is with the defaults, and must stay so.
        where = {**os.environ, "SPARCL_CACHE_DIR": str(WORK / "tuned")}
        few = ["elementwise.groups", "--seconds", "0"] if self.options.short or not self.gpu else []
        call([self.sparcl, "tune", "--device", self.device, *few], echo=True, env=where)
        self.sections_add("Tuning", call([self.sparcl, "tune", "--device", self.device, "--explain"], env=where)[1])

    def all_parts(self) -> None:
        self.find_device()
        python, maker, compiler = self.start_beside()
        self.diagnose()
        if self.options.tests:
            self.test()
            self.write()  # so that there is one if the machine is taken away
        if compiler and not compiler.succeeds(self.budget.left("comparison") / 2):
            errors = [line for line in compiler.log.read_text().splitlines() if "error" in line]
            self.facts["CUDA"] += f", but peer_cuda does not compile: {errors[0] if errors else 'it takes too long'}"
        if not python:
            self.sections_add("Comparison", "No Python here has NumPy, which makes the cases: nothing was compared.")
        else:
            if maker and not maker.succeeds(self.budget.left("comparison") / 2):
                say(f"not all cases were made: {maker.log}")
            results = self.compare(python)
            self.write()
            self.train(python, results)
        self.tune()
        say(f"report: {self.write()}")

    def interrupt(self) -> None:
        """Says what there is of a run that does not go on."""
        if "device" not in self.facts:
            say("interrupted before the device was known: no report was written")
            return
        self.is_interrupted = True
        say(f"interrupted; report of what was done: {self.write()}")

    # --- the report ----------------------------------------------------------------------------

    def lines(self, date: str) -> Iterator[str]:
        yield f"# sparcl on {self.facts['device']}, {date}\n"
        yield ("Written by tools/gpu-report. Milliseconds are medians. A ratio is the best peer's time divided by "
               "sparcl's in the\nsame round; a spread is the minimum and the maximum over the rounds.")
        if not self.gpu:
            yield "There was no OpenCL GPU: this is the short version, on the processor."
        if self.budget.is_limited:
            yield f"The run had {self.options.minutes:g} minutes: what is most important came first."
        if self.is_interrupted:
            yield "**The run was interrupted:** what had ended until then is here."
        yield "\n| | |\n|---|---|"
        cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        self.facts["processor"] = f"{cpu[1] if cpu else 'unknown'}, {len(os.sched_getaffinity(0))} cores"
        yield "\n".join(f"| {name} | {value} |" for name, value in self.facts.items())
        if self.gpu:
            yield "\n## Goals\n\n" + goals_table(WORK / "results.jsonl")
        for title, text in self.sections:
            yield f"\n## {title}\n\n{text}"

    def write(self) -> pathlib.Path:
        """The report of what has been done so far."""
        date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        name = re.sub(r"[^a-z0-9]+", "-", self.facts["device"].lower()).strip("-")
        path = pathlib.Path(self.options.out or pathlib.Path(self.options.folder) / f"{date}-{name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.lines(date)) + "\n")
        if self.packed and (WORK / "results.jsonl").exists():
            shutil.copy(WORK / "results.jsonl", path.with_suffix(".jsonl"))  # for goals.py, where the pack is from
        return path


def goals_table(results: pathlib.Path) -> str:
    """Each goal on a GPU with what was measured."""
    return "\n".join(goals.markdown(goals.read([results] if results.exists() else []), goals.gpu_goals()))


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--device", help="a selector of 'sparcl devices'; default: the first GPU")
    p.add_argument("--peers", default=str(ROOT / "out/peers"), help="the folder of cases and peers (%(default)s)")
    p.add_argument("--out", help="the report")
    p.add_argument("--folder", default=str(ROOT / "docs/results"), help="of the report without --out (%(default)s)")
    p.add_argument("--ops", help="compare only these operations")
    p.add_argument("--minutes", type=float, help="use so much time at most")
    p.add_argument("--short", action="store_true", help="few cases and short measurements")
    p.add_argument("--no-tests", dest="tests", action="store_false", help="do not run the tests")
    p.add_argument("--packed", action="store_true", help="this tree was unpacked by tools/gpu-report --from")
    return p.parse_args()


def main() -> None:
    os.chdir(ROOT)
    WORK.mkdir(parents=True, exist_ok=True)
    run = Run(parse())
    try:
        run.all_parts()
    except KeyboardInterrupt:
        run.interrupt()
        raise
    finally:
        for each in run.beside:
            each.end()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
