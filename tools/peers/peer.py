"""What the peers written in Python share: the answers to the runner's lines.

    open OP CASE N OPTIMIZER TOGETHER   ->  ok | no WHY
    time SECONDS                        ->  the median of one call, in seconds
    close                               ->  ok

OPTIMIZER is - where there is none. A turn of `time` makes a call that does not count, then calls
until the seconds are over, at least 3 and at most 200; with TOGETHER above 1, so many calls are
made before the end of the last is waited for, and the time is that of one."""
import gc
import os
import statistics
import sys
import time

import cases

LEAST, MOST, SLOW_TURN = 3, 200, 4  # SLOW_TURN: a turn never takes much more than so many times its seconds


class NotOffered(Exception):
    """The peer has no such operation, or not for this case."""


class Prepared:
    """An operation with its operands in memory: a call, and a wait for its result."""

    def __init__(self, call, finish=lambda: None):
        self.call, self.finish = call, finish

    def seconds(self, together):
        begin = time.perf_counter()
        for _ in range(together):
            self.call()
        self.finish()
        return (time.perf_counter() - begin) / together

    def turn(self, budget, together):
        times, begin = [], time.perf_counter()
        first = self.seconds(1)
        while len(times) < MOST:
            spent = time.perf_counter() - begin - first
            if len(times) >= LEAST and spent > budget or times and spent > SLOW_TURN * budget:
                break
            times.append(self.seconds(together))
        return statistics.median(times)


def answers(prepare, folder):
    """A function that answers one line."""
    state = {}

    def open_case(op, case, n, optimizer, together):
        state.clear()
        gc.collect()
        matrix = cases.load(folder, case)
        state.update(prepared=prepare(op, matrix, int(n), optimizer), together=int(together))
        state["prepared"].seconds(1)
        return "ok"

    def answer(line):
        verb, *words = line.split()
        try:
            if verb == "open":
                return open_case(*words)
            if verb == "time":
                return repr(state["prepared"].turn(float(words[0]), state["together"]))
        except NotOffered as why:
            state.clear()
            return f"no {why}"
        except Exception as error:  # whatever the peer's library raises belongs into the table
            state.clear()
            return "no " + f"{type(error).__name__}: {error}"[:200].replace("\n", " ")
        state.clear()
        return "ok"

    return answer


def serve(prepare):
    """prepare(op, matrix, n, optimizer) gives a Prepared or raises NotOffered."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no reply
    answer = answers(prepare, sys.argv[1])
    for line in sys.stdin:
        print(answer(line), file=replies, flush=True)
