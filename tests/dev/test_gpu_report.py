"""test_gpu_report.py: what tools/gpu-report makes of its time, of tests without CTest, and of recorded results."""
import argparse
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from unittest import mock

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path[:0] = [str(TOOLS / "gpu_report"), str(TOOLS.parent / "bench")]
sys.dont_write_bytecode = True
import goals  # noqa: E402 (their folders are named above)
import jobs  # noqa: E402
import pack  # noqa: E402
import report  # noqa: E402
import run_tests  # noqa: E402


def program(name: str, script: str, timeout: float = 60) -> pack.Test:
    return pack.Test(name=name, command=["sh", "-c", script], environment={"WHAT": "seen"}, timeout=timeout,
                     folder=tempfile.gettempdir(), skip_code=77)


class Budget(unittest.TestCase):
    def test_what_a_part_leaves_is_for_the_next(self) -> None:
        now = 100.0
        budget = report.Budget(10, lambda: now)
        self.assertEqual([budget.left(part) for part in budget.ENDS], [270, 480, 576, 600])
        now = 130.0
        self.assertEqual(budget.left("comparison"), 450)
        now = 1e6
        self.assertEqual(budget.left("report"), 0)

    def test_without_minutes_there_is_no_end(self) -> None:
        budget = report.Budget(None)
        self.assertFalse(budget.is_limited)
        self.assertEqual(budget.left("tests"), float("inf"))


class Commands(unittest.TestCase):
    def test_a_command_ends_with_its_time(self) -> None:
        begin = time.monotonic()
        code, text = report.call(["sh", "-c", "echo begun; exec sleep 60"], seconds=0.3)
        self.assertEqual((code, text), (124, "begun\nIt was ended after 0 s.\n"))
        code, _ = report.call(["sh", "-c", "trap '' INT; sleep 60; sleep 60"], seconds=0.2, grace=0.2)
        self.assertEqual(code, 124)
        self.assertLess(time.monotonic() - begin, 30)

    def test_status_and_output_of_one_in_time(self) -> None:
        self.assertEqual(report.call(["sh", "-c", "echo out; echo err >&2; exit 3"], seconds=60), (3, "out\nerr\n"))


class Devices(unittest.TestCase):
    def test_a_usable_gpu_goes_before_the_processor(self) -> None:
        def device(select: str, types: str, usable: bool = True) -> dict[str, object]:
            return {"select": select, "types": types, "usable": usable, "name": f"name of {select}"}

        cpu, gpu = device("0:0", "cpu"), device("1:0", "gpu")
        self.assertEqual(report.choose_device([{"devices": [cpu]}, {"devices": [gpu]}], None), ("1:0", True))
        self.assertEqual(report.choose_device([{"devices": [cpu, device("1:0", "gpu", usable=False)]}], None),
                         ("0:0", False))
        self.assertEqual(report.choose_device([{"devices": [cpu, gpu]}], "0:0"), ("0:0", False))
        self.assertEqual(report.choose_device([{"devices": [cpu, gpu]}], "name of 1"), ("name of 1", True))
        self.assertEqual(report.choose_device([], None), (None, False))


    def test_the_driver_of_nvidia_is_named_if_nothing_does(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            system = pathlib.Path(folder) / "system"
            system.mkdir()
            (system / "pocl.icd").write_text("libpocl.so.2\n")
            (pathlib.Path(folder) / "libnvidia-opencl.so.1").touch()
            with mock.patch.dict(os.environ, OCL_ICD_VENDORS=str(system), LD_LIBRARY_PATH="/first"), \
                    mock.patch.object(report, "WORK", pathlib.Path(folder)), \
                    mock.patch.object(report, "NVIDIA_FOLDERS", (folder,)):
                text = report.name_drivers()
                self.assertEqual(os.environ["LD_LIBRARY_PATH"], f"/first:{folder}")
                self.assertEqual(os.environ["SPARCL_VENDORS"], f"{folder}/vendors")
            written = (pathlib.Path(folder) / "vendors/nvidia.icd").read_text()
        self.assertEqual(written, f"{folder}/libnvidia-opencl.so.1\n")
        self.assertEqual(text, f"pocl.icd, and one written for {folder}/libnvidia-opencl.so.1")


class Tests(unittest.TestCase):
    def run_all(self, tests: list[pack.Test], seconds: float = 60) -> tuple[list[run_tests.Result], str]:
        log, results = io.StringIO(), list[run_tests.Result]()
        run_tests.run_all(tests, seconds, 2, log, results)
        return results, log.getvalue()

    def test_outcomes(self) -> None:
        results, log = self.run_all([program("a", '[ "$WHAT" = seen ]'), program("b", "echo why; exit 1"),
                                     program("c", "echo skipped: no GPU; exit 77"),
                                     program("d", "sleep 60", timeout=0.2),
                                     {**program("e", ""), "command": ["/no/such/program"]}])
        self.assertEqual([outcome for _, outcome, _ in results], ["passed", "failed", "skipped", "failed", "failed"])
        self.assertEqual(run_tests.counts(results), "1 passed, 3 failed, 1 skipped")
        self.assertEqual(next(run_tests.failures(results)), "b:\nwhy")
        self.assertIn("== c: skipped\nskipped: no GPU\n", log)
        self.assertIn("cannot be started", log)

    def test_what_the_deadline_cuts_off_was_not_run(self) -> None:
        begin = time.monotonic()
        results, _ = self.run_all([program("a", "true"), program("b", "sleep 60"), program("c", "sleep 60"),
                                   program("d", "true")], seconds=0.5)
        self.assertEqual([outcome for _, outcome, _ in results], ["passed", "not run", "not run", "not run"])
        self.assertEqual(run_tests.counts(results), "1 passed, 3 not run for lack of time")
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_runner_that_is_stopped_leaves_no_process(self) -> None:
        runner = run_tests.Runner(60)
        threading.Timer(0.3, runner.stop).start()
        begin = time.monotonic()
        runner.run(program("a", "sleep 60; sleep 60"))
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(runner.running, set())

    def test_sweeps_come_first_and_other_implementations_do_not(self) -> None:
        names = ["test_add@gpu", "cli_same_bits@gpu", "sweep_add@pocl", "test_model_sums@gpu", "sweep_spmm@gpu"]
        ordered = run_tests.by_importance([program(name, "") for name in names], "gpu")
        self.assertEqual([test["name"] for test in ordered],
                         ["sweep_spmm@gpu", "test_model_sums@gpu", "cli_same_bits@gpu", "test_add@gpu"])

    def test_on_a_processor_what_takes_long_comes_last(self) -> None:
        tests = [program(name, "") for name in ("sweep_add@pocl", "test_model_sums@pocl", "test_add@pocl")]
        self.assertEqual([test["name"] for test in run_tests.by_importance(tests, "pocl")],
                         ["test_add@pocl", "test_model_sums@pocl", "sweep_add@pocl"])

    def test_the_list_of_ctest_without_cmake(self) -> None:
        def listed(name: str, *labels: str) -> dict[str, object]:
            return {"name": name, "command": ["/usr/bin/cmake", "-E", "env", "A=1", "/usr/bin/cmake", "-E", "env",
                                              "B=2=3", "/tests/on_device.sh", "gpu", "/build/test", "C=4"],
                    "properties": [{"name": "ENVIRONMENT", "value": ["D=5"]}, {"name": "LABELS", "value": list(labels)},
                                   {"name": "TIMEOUT", "value": 9.0}, {"name": "WORKING_DIRECTORY", "value": "/build"}]}

        text = json.dumps({"tests": [listed("test_a@gpu", "device"), listed("test_a@rusticl"), listed("test_a"),
                                     listed("python_package@gpu", "python"), {"name": "not_built@gpu"}]})
        self.assertEqual(pack.read_tests(text), [pack.Test(
            name="test_a@gpu", command=["/tests/on_device.sh", "gpu", "/build/test", "C=4"],
            environment={"A": "1", "B": "2=3", "D": "5"}, timeout=9.0, folder="/build", skip_code=77)])


class Comparison(unittest.TestCase):
    def test_each_goal_has_a_job_before_any_has_its_second(self) -> None:
        ordered = jobs.by_importance(list(jobs.all_jobs(gpu=True)))
        first = ordered[:13]
        self.assertEqual({job.op for job in first}, set(jobs.GPU_PARTS))
        self.assertEqual(len({(job.op, job.optimizer) for job in first}), 13)
        self.assertEqual((first[0].case, first[0].n), ("uniform", 32))
        self.assertEqual(len(set(ordered)), len(ordered))
        self.assertLessEqual({job.case for job in ordered}, {*jobs.GPU_CASES, "emb", "embbag"})

    def test_the_table_has_each_goal_with_what_was_measured(self) -> None:
        def record(op: str, case: str, n: int, peer: str, ratio: float, **more: object) -> dict[str, object]:
            peers = {f"whole/{name}": {"part": "whole", "seconds": [seconds], "ours": [1.0]}
                     for name, seconds in ((peer, ratio), ("other", 0.1))}
            return {"op": op, "case": case, "n": n, "optimizer": "-", "queued": False, "peers": peers, "ours": [1.0],
                    "gpu": True, **more}

        records = [record("spmm", "uniform", 16, "cuda", 1.5), record("spmm", "ctr", 64, "cuda", 0.8),
                   record("spmm", "rmat22", 32, "cuda", 0.1), record("pass", "fm", 1024, "torch-gpu", 11.0),
                   record("step", "emb", 64, "torch-gpu", 9.0, optimizer="sgd", fraction_of_limit=0.1,
                          fraction_of_copy=0.8)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.jsonl"
            path.write_text("".join(json.dumps(each) + "\n" for each in records))
            lines = report.goals_table(path).splitlines()
            none = report.goals_table(pathlib.Path(folder) / "absent.jsonl").splitlines()
        self.assertEqual(len(lines), 2 + len(list(goals.gpu_goals())))
        self.assertEqual(len(none), len(lines))
        self.assertIn("| spmm, n >= 16, cuSPARSE | 2 | 1.10 | 0.80 (`ctr` n = 64) | mean 1.2, least 0.9, **missed** | "
                      "1.00 | cuda |", lines)
        self.assertIn("| pass over the click log, batch 1024, PyTorch | 1 | 11.00 | 11.00 (`fm` n = 1024) | "
                      "mean 10, least 8 | 1.00 | torch-gpu |", lines)
        self.assertIn("| step, n >= 64, of a copy's rate | 1 | 0.80 | 0.80 (`emb` n = 64) | mean 0.75, least 0.6 | "
                      "1.00 | limit |", lines)
        self.assertIn("| bag, PyTorch | 0 | | | mean 1.3, least 1, not measured | | |", lines)


class Interrupted(unittest.TestCase):
    def interrupt(self, folder: str, facts: dict[str, str], part: Callable[[report.Run], None]) -> str:
        """The report of a run that is interrupted in a part; empty: there is none."""
        out = pathlib.Path(folder) / "report.md"
        options = argparse.Namespace(minutes=None, packed=False, peers=folder, out=str(out))

        def all_parts(run: report.Run) -> None:
            run.facts.update(facts)
            run.gpu = True
            part(run)

        with mock.patch.object(report, "WORK", pathlib.Path(folder)), \
                mock.patch.object(report, "parse", return_value=options), \
                mock.patch.object(report.Run, "all_parts", all_parts), self.assertRaises(KeyboardInterrupt):
            report.main()
        return out.read_text() if out.exists() else ""

    def test_results_of_tests_are_in_the_report(self) -> None:
        script = "sleep 0.5; kill -INT $PPID; sleep 60"
        tests = [program("a@gpu", "echo why; exit 1"), program("b@gpu", script), program("c@gpu", "sleep 60")]
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(pack, "tests_of", return_value=tests), \
                mock.patch.object(os, "sched_getaffinity", return_value={0}):
            text = self.interrupt(folder, {"device": "a GPU"}, report.Run.test)
        self.assertIn("**The run was interrupted:**", text)
        self.assertIn("| tests @gpu | 1 failed, 2 without a result |", text)
        self.assertIn("## Failed tests @gpu\n\n```\na@gpu:\nwhy\n```", text)
        self.assertLess(time.monotonic() - begin, 30)

    def test_lines_of_a_comparison_are_in_the_report(self) -> None:
        command = ["sh", "-c", "echo spmm 1.5; sleep 0.5; kill -INT $PPID; exec sleep 60"]
        with tempfile.TemporaryDirectory() as folder:
            text = self.interrupt(folder, {"device": "a GPU"},
                                  lambda run: run.sections_add_call("Comparison", command, 60))
        self.assertIn("## Comparison\n\n```\nspmm 1.5\n```", text)

    def test_before_the_device_is_known_there_is_none(self) -> None:
        def part(_: report.Run) -> None:
            raise KeyboardInterrupt

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(report, "say") as say:
            self.assertEqual(self.interrupt(folder, {}, part), "")
        say.assert_called_with("interrupted before the device was known: no report was written")


class Command(unittest.TestCase):
    def call(self, *arguments: str) -> tuple[int, str]:
        ran = subprocess.run([TOOLS / "gpu-report", *arguments], capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    def test_help_fits_a_screen_and_has_each_option(self) -> None:
        code, text = self.call("--help")
        self.assertEqual(code, 0)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for option in ("--device", "--peers", "--out", "--ops", "--short", "--no-tests", "--no-install", "--minutes",
                       "--pack", "--from"):
            self.assertIn(option, text)

    def test_mistakes(self) -> None:
        for arguments, why in ((["--wrong"], "unknown option"), (["--minutes", "soon"], "expected a number"),
                               (["--from"], "needs a value"), (["--from", "/no/such.tar"], "is not there"),
                               (["--from", "a.tar", "--pack", "b.tar"], "give one")):
            code, text = self.call(*arguments)
            self.assertEqual(code, 2)
            self.assertIn(why, text)

    def test_a_source_tree_is_not_overwritten(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/pack.tar"
            (pathlib.Path(folder) / "tree/.git").mkdir(parents=True)
            subprocess.run(["tar", "-cf", file, "-C", "/", f"{folder}/tree"[1:]], check=True)
            code, text = self.call("--from", file)
        self.assertEqual(code, 2)
        self.assertIn("is a source tree here", text)


if __name__ == "__main__":
    unittest.main()
