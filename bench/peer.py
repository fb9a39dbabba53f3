"""The common code of the peers written in Python: the protocol between run.py and a peer, one line each way.

    open OP CASE N OPTIMIZER IN_FLIGHT   ->  ok | no WHY
    time SECONDS                         ->  the median time of one call, in seconds
    close                                ->  ok

OPTIMIZER is - for an operation without one. `time` makes one call that is not timed, then timed calls
until SECONDS have passed, at least 3 and at most 200. With an IN_FLIGHT above 1 a timed sample is IN_FLIGHT
calls and one wait for the last of them; its time is divided by IN_FLIGHT."""
import gc
import os
import statistics
import sys
import time

import cases

MIN_CALLS, MAX_CALLS = 3, 200
SLOW_TURN = 4  # a turn with fewer than MIN_CALLS ends after SLOW_TURN times its seconds


class NotOffered(Exception):
    """The peer does not have this operation, or not for this case."""


class Prepared:
    """An operation with its operands in memory: a call, and a function that waits for its result."""

    def __init__(self, call, finish=lambda: None):
        self.call, self.finish = call, finish

    def seconds(self, in_flight):
        begin = time.perf_counter()
        for _ in range(in_flight):
            self.call()
        self.finish()
        return (time.perf_counter() - begin) / in_flight

    def turn(self, budget, in_flight):
        times, begin = [], time.perf_counter()
        first = self.seconds(1)
        while len(times) < MAX_CALLS:
            spent = time.perf_counter() - begin - first
            if len(times) >= MIN_CALLS and spent > budget or times and spent > SLOW_TURN * budget:
                break
            times.append(self.seconds(in_flight))
        return statistics.median(times)


def request_handler(prepare, folder):
    """A function that handles one line of the protocol and returns the reply."""
    state = {}

    def open_case(op, case, n, optimizer, in_flight):
        state.clear()
        gc.collect()
        matrix = cases.load(folder, case)
        state.update(prepared=prepare(op, matrix, int(n), optimizer), in_flight=int(in_flight))
        state["prepared"].seconds(1)
        return "ok"

    def handle(line):
        verb, *words = line.split()
        try:
            if verb == "open":
                return open_case(*words)
            if verb == "time":
                return repr(state["prepared"].turn(float(words[0]), state["in_flight"]))
        except NotOffered as why:
            state.clear()
            return f"no {why}"
        except Exception as error:  # any error of the peer's library is reported as a reply
            state.clear()
            return "no " + f"{type(error).__name__}: {error}"[:200].replace("\n", " ")
        state.clear()
        return "ok"

    return handle


def serve(prepare):
    """Serves standard input. prepare(op, matrix, n, optimizer) returns a Prepared or raises NotOffered."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of libraries goes to standard error: it must not mix with the replies
    handle = request_handler(prepare, sys.argv[1])
    for line in sys.stdin:
        print(handle(line), file=replies, flush=True)
