#!/usr/bin/env python3
"""Times sparcl and other libraries (peers) on the same cases, in turns: a peer, sparcl, the next peer,
sparcl, and so on for some rounds. Each is a process of its own, which is stopped while others are timed."""
import argparse
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import goals
from jobs import GRAPHS, IN_FLIGHT, PARTS, all_jobs, by_importance, parts_of, peers_of

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENTS = {"scipy": "v", "mkl": "v", "torch": "v", "fbgemm": "vfb", "tensorflow": "vtf", "mxnet": "vmx"}


class Refused(Exception):
    """A process refused a request, or ended; the text is the reason."""


class Process:
    """A program that replies to each line with one line. It is stopped between requests, because idle
    threads that spin would take a core from the process that is timed next."""

    def __init__(self, command, environment, errors=None):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                      text=True, env={**os.environ, **environment})
        self.stop()

    def stop(self):
        self.child.send_signal(signal.SIGSTOP)

    def request(self, line):
        self.child.send_signal(signal.SIGCONT)
        try:
            self.child.stdin.write(line + "\n")
            self.child.stdin.flush()
            reply = self.child.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            raise Refused(f"ended with exit status {self.child.wait()}")
        self.stop()
        return reply.rstrip("\n")

    def end(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGCONT)
            self.child.stdin.close()
            self.child.stdout.close()
            try:
                self.child.wait(30)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()


def python_with_gpu(folder):
    """A Python with a PyTorch that sees a GPU; None if there is none."""
    test = "import numpy, torch, sys; sys.exit(not torch.cuda.is_available())"
    for python in (os.path.join(folder, "v", "bin", "python"), shutil.which("python3")):
        if python and os.path.exists(python):
            if subprocess.run([python, "-c", test], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return python
    return None


class Peer:
    """A peer: its process is started by the first request, and again after it ended."""

    def __init__(self, name, folder, errors):
        self.name, self.folder, self.errors, self.process = name, folder, errors, None

    def command(self):
        """Its command line and additions to its environment; None if it is not installed."""
        cases = os.path.join(self.folder, "cases")
        if self.name in ("eigen", "cuda"):
            program = os.path.join(self.folder, "peer_" + self.name)
            return ([program, cases], {}) if os.path.exists(program) else None
        environment = {"PYTHONPATH": HERE, "PYTHONDONTWRITEBYTECODE": "1"}
        if self.name == "torch-gpu":
            python = python_with_gpu(self.folder)
            environment["PEER_DEVICE"] = "cuda"
            return python and ([python, os.path.join(HERE, "peer_torch.py"), cases], environment)
        venv = os.path.join(self.folder, ENVIRONMENTS[self.name])
        packages = glob.glob(os.path.join(venv, "lib", "python*", "site-packages"))
        needed = {"fbgemm": "fbgemm_gpu", "mkl": ".."}.get(self.name, self.name)
        if not packages or not os.path.isdir(os.path.join(packages[0], needed)):
            return None
        if self.name == "mkl":
            library = glob.glob(os.path.join(venv, "lib", "libmkl_rt.so*"))
            if not library:
                return None
            environment.update(MKL_RT=library[0], MKL_NUM_THREADS=str(os.cpu_count()),
                               LD_LIBRARY_PATH=os.path.join(venv, "lib"))
        return [os.path.join(venv, "bin", "python"), os.path.join(HERE, f"peer_{self.name}.py"), cases], environment

    def request(self, line):
        if not self.process:
            self.process = Process(*self.command(), errors=self.errors)
        try:
            reply = self.process.request(line)
        except Refused:
            self.process = None
            raise
        if reply.startswith("no "):
            raise Refused(reply[3:])
        return reply

    def end(self):
        if self.process:
            self.process.end()
            self.process = None


class Ours:
    """sparcl bench on one job: one process for all turns of the job."""

    def __init__(self, job, arguments):
        command = [arguments.sparcl, "bench", job.op, "--matrix",
                   os.path.join(arguments.peers_folder, "cases", job.case + ".npz"), "-n", str(job.n), "--turns",
                   "--json"]
        command += ["--optimizer", job.optimizer] * (job.optimizer != "-") + ["--queued"] * job.queued
        command += ["--device", arguments.device] * bool(arguments.device)
        command += ["--tuning", arguments.tuning] * bool(arguments.tuning)
        command += ["--no-check"] * (arguments.no_check or job.case in GRAPHS)
        self.process = Process(command, {})
        self.turn(0)  # builds the kernels and checks the result

    def turn(self, seconds):
        self.record = json.loads(self.process.request(str(seconds)))
        return self.record["median_s"]

    def end(self):
        self.process.end()


def contenders(job, peers, gpu):
    """(part, peer, the peer's operation) of the peers that are installed and selected."""
    return [(part, peers[name], op) for part, op, names in parts_of(job.op, gpu) for name in names if name in peers]


def open_all(job, expected, declined):
    """Opens the job in each peer. Returns (part, peer, open line) of those that can do it; the others are
    added to declined, with the reason."""
    found = []
    for part, peer, op in expected:
        open_line = f"open {op} {job.case} {job.n} {job.optimizer} {IN_FLIGHT if job.queued else 1}"
        try:
            peer.request(open_line)
            found.append((part, peer, open_line))
        except Refused as why:
            declined[f"{part}/{peer.name}"] = str(why)
    return found


def take_turns(job, ours, found, arguments):
    """Times the peers and sparcl in rounds. After the first round a peer that took more than --drop times
    the best of its part is left out; its one time stays in the table. A peer holds one operation at a time:
    one that is timed for two parts opens its operation again before each turn."""
    several = {peer.name for part, peer, _ in found if sum(p is peer for _, p, _ in found) > 1}
    result = {}
    for number in range(arguments.rounds):
        for part, peer, open_line in found:
            if peer.name in several:
                peer.request(open_line)
            seconds = float(peer.request(f"time {arguments.seconds}"))
            turns = result.setdefault(f"{part}/{peer.name}", {"part": part, "seconds": [], "ours": []})
            turns["seconds"].append(seconds)
            turns["ours"].append(ours.turn(arguments.seconds))
        if number == 0:
            found = [(part, peer, open_line) for part, peer, open_line in found
                     if is_fast(result, part, peer.name, arguments.drop)]
        if not found:
            ours.turn(arguments.seconds)
    return result


def is_fast(result, part, name, drop):
    best = min(turns["seconds"][0] for turns in result.values() if turns["part"] == part)
    return result[f"{part}/{name}"]["seconds"][0] <= drop * best


def measure(job, peers, arguments):
    declined, expected = {}, contenders(job, peers, arguments.gpu)
    ours = Ours(job, arguments)
    try:
        found = open_all(job, expected, declined)
        result = take_turns(job, ours, found, arguments)
        own = [seconds for turns in result.values() for seconds in turns["ours"]] or [ours.record["median_s"]]
    finally:
        ours.end()
        for peer in {peer for _, peer, _ in expected}:
            if peer.process:
                peer.request("close")
    record = {"op": job.op, "case": job.case, "n": job.n, "optimizer": job.optimizer, "queued": job.queued, "ours": own,
              "peers": result, "declined": declined, "device": ours.record["device"], "gpu": arguments.gpu}
    for key in ("gbytes_per_s", "fraction_of_limit", "variant"):
        if key in ours.record:
            record[key] = ours.record[key]
    if arguments.copy_rate and "gbytes_per_s" in record:
        record["fraction_of_copy"] = record["gbytes_per_s"] / arguments.copy_rate
    return record


# --- the command ------------------------------------------------------------------------------

def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--peers-folder", default="out/peers", help="the folder of bench/setup (%(default)s)")
    p.add_argument("--sparcl", default="build/release/sparcl", help="the tool (%(default)s)")
    p.add_argument("--ops", help=f"operations, such as spmm,step; default: all of {','.join(PARTS)}")
    p.add_argument("--cases", help="matrices, such as uniform,ctr; default: all")
    p.add_argument("--widths", help="columns of the dense operand, such as 1,16; default: all")
    p.add_argument("--optimizers", help="such as sgd,adam; default: all")
    p.add_argument("--queued", choices=("yes", "no"), help="only jobs with, or without, many calls in flight")
    p.add_argument("--peers", help=f"the peers; default: all installed ones of {','.join(peers_of(gpu=False))}")
    p.add_argument("--gpu", action="store_true",
                   help=f"compare with {','.join(peers_of(gpu=True))}, with large graphs too; needs --device")
    p.add_argument("--rounds", type=int, default=5, help="number of rounds (%(default)s)")
    p.add_argument("--seconds", type=float, default=0.3, help="duration of a turn (%(default)s)")
    p.add_argument("--drop", type=float, default=2.0,
                   help="after the first round, leave out peers that take more than DROP times the best (%(default)s)")
    p.add_argument("--device", help="OpenCL device, a selector of 'sparcl devices'")
    p.add_argument("--tuning", help="what 'sparcl bench --tuning' takes; default: the stored tuning")
    p.add_argument("--copy-rate", type=float, help="GB/s of a copy on the device, of which a step's rate is a fraction")
    p.add_argument("--limit", type=float, help="begin no job after so many seconds; the jobs are those that a goal on "
                   "a GPU counts, by importance")
    p.add_argument("--no-check", action="store_true", help="do not compare sparcl's results with plain C first")
    p.add_argument("--out", help="append the results to this file, as JSON lines for goals.py")
    p.add_argument("--resume", action="store_true", help="skip the jobs that the file of --out has already")
    p.add_argument("--tsv", help="write the table to this file")
    p.add_argument("--log", help="file for the output of the peers; default: discarded")
    p.add_argument("--list", action="store_true", help="only print the jobs")
    return p.parse_args()


def chosen(arguments, limit=None):
    def has(text, value):
        return not text or str(value) in text.split(",")

    jobs = [job for job in all_jobs(arguments.gpu) if has(arguments.ops, job.op) and has(arguments.cases, job.case)
            and has(arguments.widths, job.n) and (job.optimizer == "-" or has(arguments.optimizers, job.optimizer))
            and (not arguments.queued or job.queued == (arguments.queued == "yes"))]
    return by_importance(jobs) if limit is not None else jobs


def find_peers(arguments, errors):
    expected = arguments.peers.split(",") if arguments.peers else peers_of(arguments.gpu)
    peers = {name: Peer(name, os.path.abspath(arguments.peers_folder), errors) for name in expected}
    missing = [name for name, peer in peers.items() if not peer.command()]
    if missing:
        print(f"not installed in {arguments.peers_folder}: {', '.join(missing)}", file=sys.stderr)
    return {name: peer for name, peer in peers.items() if name not in missing}


def run(jobs, peers, arguments):
    records, begin = [], time.monotonic()
    print(goals.HEADING, flush=True)
    for number, job in enumerate(jobs):
        if arguments.limit is not None and time.monotonic() - begin > arguments.limit:
            print(f"{len(jobs) - number} of {len(jobs)} jobs were not begun: the {arguments.limit:.0f} s are used")
            break
        try:
            record = measure(job, peers, arguments)
        except Refused as why:
            print(f"{job}: sparcl bench {why}", flush=True)
            continue
        print("\n".join(goals.lines_of(record)), flush=True)
        records.append(record)
        if arguments.out:
            with open(arguments.out, "a", encoding="utf-8") as file:
                print(json.dumps(record), file=file)
    return records


def main():
    arguments = parse()
    for name, known in (("ops", list(PARTS)), ("peers", peers_of(arguments.gpu))):
        unknown = set((getattr(arguments, name) or known[0]).split(",")) - set(known)
        if unknown:
            sys.exit(f"--{name}: unknown {', '.join(sorted(unknown))}; expected some of {', '.join(known)}")
    jobs = chosen(arguments, arguments.limit)
    if arguments.resume and arguments.out and os.path.exists(arguments.out):
        done = {tuple(record[name] for name in goals.KEY) for record in goals.read([arguments.out])}
        jobs = [job for job in jobs if (job.op, job.case, job.n, job.optimizer, job.queued) not in done]
    if arguments.list:
        print("\n".join(map(str, jobs)))
        return
    if not shutil.which(arguments.sparcl):
        sys.exit(f"{arguments.sparcl} does not exist: build sparcl, or give the path of the tool with --sparcl")
    with open(arguments.log or os.devnull, "a", encoding="utf-8") as errors:
        peers = find_peers(arguments, errors)
        try:
            records = run(jobs, peers, arguments)
        finally:
            for peer in peers.values():
                peer.end()
    goals.print_goals(records)
    if arguments.tsv:
        goals.write_tsv(records, arguments.tsv)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
