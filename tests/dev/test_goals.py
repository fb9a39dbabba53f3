"""test_goals.py: what bench/goals.py makes of times of which the ratios are known."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PEERS = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(PEERS))
sys.dont_write_bytecode = True
import goals  # noqa: E402 (its folder is named above)


def turns(part, seconds, ours):
    return {"part": part, "seconds": seconds, "ours": ours}


def record(op, case, n, peers, queued=False, optimizer="-", **more):
    named = {f"{t['part']}/{name}": t for name, t in peers}
    return dict(op=op, case=case, n=n, optimizer=optimizer, queued=queued, peers=named, ours=[1.0], **more)


def product(case, n, ratios, **more):
    """sparcl takes 2 s each time, the best peer 2 s times the ratio."""
    peers = [("fast", turns("whole", [2 * r for r in ratios], [2.0] * len(ratios))),
             ("slow", turns("whole", [90.0] * len(ratios), [2.0] * len(ratios)))]
    if len(ratios) > 1:
        peers.append(("left-out-after-a-round", turns("whole", [0.1], [2.0])))
    return record("spmm", case, n, peers, **more)


def verdict(records, what):
    found = [v for v in goals.verdicts(records) if v.goal.what == what]
    assert len(found) == 1, f"{len(found)} verdicts on {what}"
    return found[0]


class Goals(unittest.TestCase):
    def test_a_ratio_is_the_median_of_the_rounds_against_the_best_peer_of_all_rounds(self):
        r = goals.compare(product("uniform", 16, [1.5, 3.0, 2.0]))
        self.assertEqual((r.best, r.value, r.peer, r.ours, r.spread), ("fast", 2.0, 4.0, 2.0, 2.0))

    def test_a_mean_and_the_least_must_both_be_reached(self):
        for ratios, met in (((1.6, 1.6), True), ((3.2, 0.9), False), ((1.5, 1.5), False), ((3.2, 1.0), True)):
            v = verdict([product("uniform", 8 * (i + 1), [r]) for i, r in enumerate(ratios)], "spmm, n >= 8")
            self.assertEqual(v.is_met(), met, ratios)
            self.assertEqual(v.worst.value, min(ratios))
            self.assertAlmostEqual(v.mean, (ratios[0] * ratios[1]) ** 0.5)

    def test_small_products_count_where_they_are_queued(self):
        both = [product("batch", 16, [0.5]), product("batch", 16, [2.0], queued=True)]
        self.assertEqual([v.value for v in verdict(both, "spmm, n >= 8").values], [2.0])
        alone = verdict(both, "spmm, small, alone (no goal)")
        self.assertEqual([v.value for v in alone.values], [0.5])
        self.assertTrue(alone.is_met())

    def test_the_spread_of_a_goal_is_the_mean_of_its_jobs(self):
        v = verdict([product("uniform", 8, [1, 4, 2]), product("ctr", 8, [2, 2, 2])], "spmm, n >= 8")
        self.assertAlmostEqual(v.spread, 2.0)

    def test_parts_are_added_up_round_by_round(self):
        r = record("spmm-t-rows", "ctr", 1, [("mkl", turns("transpose", [1.0, 2.0, 1.0], [1.0, 2.0, 2.0])),
                                             ("torch", turns("product", [2.0, 2.0, 5.0], [1.0, 2.0, 2.0])),
                                             ("mxnet", turns("whole", [5.0, 10.0, 9.0], [1.0, 2.0, 2.0]))])
        v = verdict([r], "spmm-t-rows, best transpose + best product")
        self.assertEqual((v.worst.value, v.worst.against, v.is_met()), (3.0, "mkl + torch", True))
        self.assertEqual(verdict([r], "spmm-t-rows").worst.value, 5.0)

    def test_steps_are_held_to_two_thirds_of_the_mean_and_to_the_limit(self):
        def step(n, ratio, fraction):
            return record("step", "emb", n, [("torch", turns("whole", [ratio], [1.0]))], optimizer="adam",
                          fraction_of_limit=fraction)

        steps = [step(16, 9.0, 0.1), step(64, 6.0, 0.8), step(128, 3.4, 0.9)]
        self.assertTrue(verdict(steps, "step adam").is_met())
        limit = verdict(steps, "step, n >= 64, of the row-update limit")
        self.assertEqual([v.value for v in limit.values], [0.8, 0.9])
        self.assertTrue(limit.is_met())
        steps[2] = step(128, 3.3, 0.79)
        self.assertFalse(verdict(steps, "step adam").is_met())
        self.assertFalse(verdict(steps, "step, n >= 64, of the row-update limit").is_met())

    def test_what_no_peer_does_has_no_verdict(self):
        alone = record("reorder", "ctr", 1, [])
        self.assertEqual(list(goals.verdicts([alone])), [])
        self.assertIn("none", goals.lines_of(alone)[0])

    def test_the_table_names_what_falls_short(self):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            goals.print_goals([product("uniform", 1, [1.2]), product("ctr", 1, [0.8])])
        line = text.getvalue().splitlines()[-1].split()
        self.assertEqual(line[-3:], ["NO", "ctr:1", "(fast)"])

    def test_markdown_has_a_row_for_each_goal(self):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            goals.print_markdown([product("uniform", 1, [1.2]), product("ctr", 1, [0.8])])
        row, = text.getvalue().splitlines()[2:]
        self.assertEqual(row, "| spmm, n = 1 | 2 | 0.98 | 0.80 (`ctr` n = 1) | mean 1.1, least 0.9, **missed** | "
                              "1.00 | fast |")

    def test_of_a_job_measured_twice_the_last_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.jsonl"
            path.write_text("".join(json.dumps(product("ctr", 8, [r])) + "\n" for r in (1.0, 5.0)), encoding="utf-8")
            self.assertEqual([goals.compare(r).value for r in goals.read([path])], [5.0])

    def test_json_has_what_the_plot_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            lines, results, plot = (str(pathlib.Path(folder) / name) for name in ("r.jsonl", "r.json", "r.svg"))
            records = [product("uniform", 8, [2.0], device="a device"), product("ctr", 16, [0.5], device="a device")]
            pathlib.Path(lines).write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
            for name, *arguments in (["goals.py", "--json", results, lines], ["plot.py", results, plot]):
                subprocess.run([sys.executable, "-B", PEERS / name, *arguments], check=True, capture_output=True)
            found = json.loads(pathlib.Path(results).read_text(encoding="utf-8"))
            self.assertEqual(found["machine"], "a device")
            goal, = [g for g in found["goals"] if g["goal"] == "spmm, n >= 8"]
            self.assertEqual((goal["jobs"], goal["minimum"], goal["minimum_at"]), (2, 0.5, "ctr n = 16"))
            self.assertAlmostEqual(goal["mean"], 1.0)
            drawn = pathlib.Path(plot).read_text(encoding="utf-8")
            self.assertIn("8 columns and more", drawn)

    def test_help_is_an_answer_and_no_file_a_mistake(self):
        for arguments, code in ((["--help"], 0), ([], 1)):
            ran = subprocess.run([sys.executable, "-B", PEERS / "goals.py", *arguments], capture_output=True, text=True,
                                 check=False)
            self.assertEqual(ran.returncode, code)
            self.assertIn("usage:", ran.stderr if code else ran.stdout)


if __name__ == "__main__":
    unittest.main()
