"""Runs the commands of a page of docs/, and compares what they print with what the page says.

    run_page.py PAGE        with SPARCL, EXAMPLE_DATA and, for $D, SPARCL_TEST_DATA or SPARCL_TEST_DATA_DIR

Commands are lines that begin with "$ ", with their output below, or a block that begins with "sparcl " or another of
PROGRAMS, with its output in the blocks right below. Those of PROGRAMS are run, in the order of the page, in a folder
that has the example data. Each line of the output must be there, blanks apart. What the clock decides is not compared:
seconds, rates that are made of them and bytes that are measured. "..." stands for lines that are left out. "^C": the
command is interrupted when it has made steps; no figure of that block is compared.

A comment before a block says what differs:  <!-- run: with --epochs 2 -->  adds options, and compares no figures;
<!-- run: figures vary -->  compares only words;  <!-- run: not, REASON -->  does not run it.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("sparcl ", "cat ", "awk ", "printf ")
LIMIT = 300  # seconds for a command
TIMED = re.compile(r"second|bytes|examples/s")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class Block:
    """Lines that are indented, without the indentation; what is before it decides what it is."""

    def __init__(self, number):
        self.number, self.lines = number, []


def read_blocks(path):
    """The page as blocks, rules (the text of a comment) and None for other text."""
    parts, block = [], None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("    ") and (block or not parts or parts[-1] != "list"):
            if not block:
                block = Block(number)
                parts.append(block)
            block.lines.append(line[4:])
        elif line:
            block = None
            rule = re.fullmatch(r"<!-- run: (.*) -->", line)
            parts.append(rule.group(1) if rule else None)
        elif block:
            block = None
    return parts


class Step:
    """A command line, the output that the page states, and the rule for both."""

    def __init__(self, command, number, rule):
        self.command, self.number, self.rule, self.output = command, number, rule or "", []


def join_lines(lines):
    """Command lines: one that ends in a backslash or is inside of quotes goes on."""
    whole = ""
    for line in lines:
        whole += ("\n" if whole else "") + line
        if not line.endswith("\\") and whole.count('"') % 2 == 0 and whole.count("'") % 2 == 0:
            yield whole
            whole = ""
    assert not whole, f"a command has no end: {whole}"


def steps_of_block(block, rule):
    if not block.lines[0].startswith("$ "):
        return [Step(command, block.number, rule) for command in join_lines(block.lines)]
    steps = []
    if "^C" in block.lines:
        rule = rule or "figures vary"
    for number, line in enumerate(block.lines, block.number):
        if line.startswith("$ "):
            steps.append(Step(line[2:], number, rule))
        else:
            steps[-1].output.append(line)
    return steps


def read_steps(path):
    steps, rule, is_output = [], None, False
    for part in read_blocks(path):
        if not isinstance(part, Block):
            rule, is_output = part, False
        elif part.lines[0].startswith(("$ ", *PROGRAMS)):
            steps += steps_of_block(part, rule)
            rule, is_output = None, True
        elif is_output:
            steps[-1].output += part.lines
    return steps


def columns_of_times(line):
    """Where in a table, counted from its right, the clock decides; and its columns. None: no heading."""
    words = line.split(",") if "," in line else line.split()
    if any(NUMBER.fullmatch(word) for word in words):
        return None
    places = {i - len(words) for i, word in enumerate(words) if TIMED.search(word)}
    return (places, len(words)) if places else None


def plain(line, times, has_figures):
    """The words of a line, without what may differ."""
    if not has_figures:
        line = NUMBER.sub("#", line)
    is_csv = re.match(r"[\w.+-]*,[^ ]*$", line)
    words = line.split(",") if is_csv else line.split()
    if times and (is_csv or len(words) > 3 or len(words) == times[1]):
        for i in times[0]:
            if -i <= len(words):
                words[i] = "*"
    if TIMED.match(line.replace("peak ", "")):
        words[-1] = "*"
    return " ".join(words)


def compare(step, output):
    """The stated lines that the output does not have."""
    has_figures = not step.rule.startswith(("with ", "figures vary"))
    times, found = None, set()
    for line in output.splitlines():
        times = columns_of_times(line) or times
        found |= {plain(line, None, has_figures), plain(line, times, has_figures)}
    times, missing = None, []
    for line in step.output:
        times = columns_of_times(line) or times
        if line.strip() in ("", "...", "^C"):
            continue
        if not found & {plain(line, None, has_figures), plain(line, times, has_figures)}:
            missing.append(line)
    return missing


def run_until_steps(command, folder, environment):
    """Run a command, and interrupt it when it has reported steps."""
    log = os.path.join(folder, "interrupted.txt")
    with open(log, "wb") as out:
        child = subprocess.Popen(command, shell=True, cwd=folder, env=environment, stdout=out, stderr=out)
        end = time.monotonic() + LIMIT
        while child.poll() is None and time.monotonic() < end:
            if re.search(r"^ +\d{3,} ", open(log, errors="replace").read(), re.M):
                child.send_signal(signal.SIGINT)
                child.wait(LIMIT)
            time.sleep(0.02)
    return child.returncode, open(log, errors="replace").read()


def run(step, folder, environment):
    command = step.command
    if step.rule.startswith("with "):
        command += " " + step.rule[5:]
    if "^C" in step.output:
        return run_until_steps("exec " + command, folder, environment)
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def is_expected(step, code):
    if "^C" in step.output:
        return code == 9
    return code == 0 or (code == 1 and step.command.startswith("sparcl diff "))


def report(page, step, code, output, missing):
    print(f"FAILED  {page}:{step.number}: {step.command}")
    if not is_expected(step, code):
        print(f"  it exits with {code}")
    for line in missing:
        print(f"  the page says: {line}")
    print("  it printed:")
    print("\n".join("  | " + line for line in output.splitlines()[-40:]))


def prepare(folder):
    """The example data, and the tool as sparcl."""
    for name in os.listdir(os.environ["EXAMPLE_DATA"]):
        os.symlink(os.path.join(os.environ["EXAMPLE_DATA"], name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(os.environ["SPARCL"], os.path.join(folder, "bin", "sparcl"))
    environment = dict(os.environ, LC_ALL="C", PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
    environment["SPARCL_CACHE_DIR"] = os.environ.get("SPARCL_TEST_CACHE", os.path.join(folder, "cache"))
    environment["D"] = os.environ.get("SPARCL_TEST_DATA") or os.environ.get("SPARCL_TEST_DATA_DIR", "")
    environment.pop("SPARCL_DEVICE", None)
    return environment


MISSING_DATA = "SPARCL_TEST_DATA names no folder"


def results(step):
    """The files that a command writes."""
    return re.findall(r"\s-o\s+(\S+)", step.command)


def skips(step, environment, unmade):
    """Why a command is not run, or None. It may read what a command has not made that was not run."""
    if step.rule.startswith("not, "):
        return step.rule[5:]
    if not step.command.startswith(PROGRAMS):
        return "another program"
    if "$D" in step.command and not os.path.isdir(environment["D"]):
        return MISSING_DATA
    if unmade & set(step.command.split()):
        return MISSING_DATA + " for what it reads"
    return None


def main():
    page = sys.argv[1]
    folder = tempfile.mkdtemp()
    failures = missing_data = ran = 0
    unmade = set()
    try:
        environment = prepare(folder)
        for step in read_steps(page):
            reason = skips(step, environment, unmade)
            if reason:
                missing_data += reason.startswith(MISSING_DATA)
                unmade.update(results(step))
                print(f"not run {step.command[:90]!r}: {reason}")
                continue
            ran += 1
            unmade.difference_update(results(step))
            code, output = run(step, folder, environment)
            missing = compare(step, output)
            if missing or not is_expected(step, code):
                failures += 1
                report(page, step, code, output, missing)
            else:
                print(f"ok      {step.command[:110]!r}")
    finally:
        shutil.rmtree(folder)
    if failures == 0 and missing_data > 0:
        print(f"skipped: {missing_data} commands: {MISSING_DATA}")
        sys.exit(77)
    print(f"{ran} commands, {failures} failed")
    sys.exit(failures > 0 or ran == 0)


main()
