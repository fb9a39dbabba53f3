"""Runs tests in parallel without CTest, the most important first, until their time is used."""
import concurrent.futures
import contextlib
import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from typing import TextIO

from pack import Test

FIRST = ("sweep_", "test_model_sums@", "cli_same_bits@")
OUTCOMES = ("passed", "failed", "skipped", "not run")
Result = tuple[Test, str, str]  # the outcome, and what the test printed


def by_importance(tests: Iterable[Test], implementation: str) -> list[Test]:
    """The tests on an implementation: sweeps, then what compares the bits of trained models, then the others. On a
    processor the first two come last: PoCL compiles for minutes what they need."""
    def rank(test: Test) -> int:
        at = next((at for at, name in enumerate(FIRST) if test["name"].startswith(name)), len(FIRST))
        return at if implementation == "gpu" else -at

    return sorted((test for test in tests if test["name"].endswith(f"@{implementation}")), key=rank)


class Runner:
    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self.running: set[subprocess.Popen[str]] = set()

    def run(self, test: Test) -> Result:
        """A test that has not ended at the deadline counts as not run."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return test, "not run", ""
        pathlib.Path(test["folder"]).mkdir(parents=True, exist_ok=True)
        try:
            process = subprocess.Popen(test["command"], cwd=test["folder"], env={**os.environ, **test["environment"]},
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, errors="replace", start_new_session=True)
        except OSError as why:
            return test, "failed", f"it cannot be started: {why}"
        self.running.add(process)
        if time.monotonic() >= self.deadline:  # stopped before it was one of them
            self.kill(process)
        try:
            output, _ = process.communicate(timeout=min(left, test["timeout"]))
        except subprocess.TimeoutExpired:
            self.kill(process)
            output, _ = process.communicate()
            if left < test["timeout"]:
                return test, "not run", output
            return test, "failed", f"{output}\nIt had not ended after {test['timeout']:.0f} s."
        finally:
            self.running.discard(process)
        if process.returncode == test["skip_code"]:
            return test, "skipped", output
        return test, "failed" if process.returncode else "passed", output

    @staticmethod
    def kill(process: subprocess.Popen[str]) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def stop(self) -> None:
        self.deadline = 0
        for process in list(self.running):
            self.kill(process)


def run_all(tests: list[Test], seconds: float, jobs: int, log: TextIO, results: list[Result]) -> None:
    """Adds to the results in the order of the tests; the log gets the output of each that did not pass, when it
    ends."""
    runner = Runner(seconds)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for result in pool.map(runner.run, tests):
                results.append(result)
                test, outcome, output = result
                if outcome in ("failed", "skipped"):
                    print(f"== {test['name']}: {outcome}\n{output}", file=log, flush=True)
        except BaseException:
            runner.stop()
            raise


def counts(results: list[Result]) -> str:
    found = [outcome for _, outcome, _ in results]
    return ", ".join(f"{found.count(outcome)} {outcome}{' for lack of time' * (outcome == 'not run')}"
                     for outcome in OUTCOMES if outcome in found) or "none"


def failures(results: list[Result], lines: int = 15) -> Iterator[str]:
    for test, outcome, output in results:
        if outcome == "failed":
            yield "\n".join([f"{test['name']}:", *output.splitlines()[-lines:]])
