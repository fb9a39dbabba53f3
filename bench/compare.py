#!/usr/bin/env python3
"""Compares two builds of sparcl, or one build with two tunings, on the jobs of run.py, in turns. Where the buffers of
a process lie in memory changes its times by some percent, so each job is measured with several pairs of processes."""
import argparse
import json
import math
import os
import statistics
import sys

import run

SLOWER = 0.97  # a ratio below this is reported, unless it may be noise (is_slower)


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("before", help="the tool of the first build")
    p.add_argument("after", help="the tool of the second build, may be the same")
    p.add_argument("--before-tuning", help="for the first build: what 'sparcl bench --tuning' takes; default: stored")
    p.add_argument("--after-tuning", help="the same for the second build")
    p.add_argument("--peers-folder", default="out/peers", help="its folder 'cases' is from cases.py (%(default)s)")
    p.add_argument("--ops", help="operations, such as spmm,step; default: all")
    p.add_argument("--cases", help="matrices, such as uniform,ctr; default: all")
    p.add_argument("--widths", help="columns of the dense operand, such as 1,16; default: all")
    p.add_argument("--optimizers", help="such as sgd,adam; default: all")
    p.add_argument("--queued", choices=("yes", "no"), help="only jobs with, or without, many calls in flight")
    p.add_argument("--processes", type=int, default=3, help="pairs of processes for a job (%(default)s)")
    p.add_argument("--rounds", type=int, default=5, help="rounds of a pair (%(default)s)")
    p.add_argument("--seconds", type=float, default=0.1, help="duration of a turn (%(default)s)")
    p.add_argument("--device", help="OpenCL device, a selector of 'sparcl devices'")
    p.add_argument("--out", help="append the times to this file, as JSON lines")
    return p.parse_args()


def start(tool, tuning, job, arguments):
    build = argparse.Namespace(sparcl=tool, peers_folder=arguments.peers_folder, device=arguments.device, no_check=True,
                               tuning=tuning)
    return run.Ours(job, build)


def measure_pair(job, arguments):
    """The times of the turns of both builds. The build that begins a round changes from round to round."""
    builds = []
    try:
        builds.append(start(arguments.before, arguments.before_tuning, job, arguments))
        builds.append(start(arguments.after, arguments.after_tuning, job, arguments))
        times = [[], []]
        for number in range(arguments.rounds):
            for which in (number % 2, 1 - number % 2):
                times[which].append(builds[which].turn(arguments.seconds))
        return times
    finally:
        for build in builds:
            build.end()


def ratio(times):
    return statistics.median(before / after for before, after in zip(*times))


def is_slower(pairs):
    """Slower in the median, in each pair of processes, and with the minimum of all times."""
    ratios = [ratio(times) for times in pairs]
    before, after = (min(min(times[which]) for times in pairs) for which in (0, 1))
    return statistics.median(ratios) < SLOWER and max(ratios) < 1 and before / after < SLOWER


def line_of(job, pairs):
    ratios = sorted(ratio(times) for times in pairs)
    before, after = (1e3 * statistics.median(t for times in pairs for t in times[which]) for which in (0, 1))
    return (f"{str(job):40} {before:10.4f} {after:10.4f}  {statistics.median(ratios):5.3f} "
            f"({ratios[0]:.3f} to {ratios[-1]:.3f}){'  slower' if is_slower(pairs) else ''}")


def measure(jobs, arguments):
    """{operation: ratios}, and the jobs that are slower."""
    ratios, slower = {}, []
    print(f"{'job':40} {'before ms':>10} {'after ms':>10}  ratio (minimum to maximum of the processes)", flush=True)
    for job in jobs:
        try:
            pairs = [measure_pair(job, arguments) for _ in range(arguments.processes)]
        except run.Refused as why:
            print(f"{job}: sparcl bench {why}", flush=True)
            continue
        print(line_of(job, pairs), flush=True)
        ratios.setdefault(job.op, []).append(statistics.median(map(ratio, pairs)))
        slower += [job] * is_slower(pairs)
        if arguments.out:
            with open(arguments.out, "a", encoding="utf-8") as file:
                print(json.dumps({"job": str(job), "seconds": pairs}), file=file)
    return ratios, slower


def main():
    arguments = parse()
    for tool in (arguments.before, arguments.after):
        if not os.access(tool, os.X_OK):
            sys.exit(f"{tool} is not a program: build sparcl, or give the path of the tool")
    arguments.gpu = False
    ratios, slower = measure(run.chosen(arguments), arguments)
    print(f"\n{'operation':15} {'jobs':>4}  geometric mean  minimum")
    for op, values in ratios.items():
        print(f"{op:15} {len(values):4}  {math.exp(statistics.fmean(map(math.log, values))):14.3f}  {min(values):7.3f}")
    print(f"slower by more than {round(100 * (1 - SLOWER))} %: {', '.join(map(str, slower)) or 'no job'}")


if __name__ == "__main__":
    main()
