"""The package as people use it: the same digests as the native program, tables, findings."""

import io
import json
import os
import pathlib
import signal
import tempfile
import threading
import unittest

import pandas
import polars
import pyarrow
from tqdm import tqdm

import tiebreak

DEFAULT = "779ce5d7a0dd5b64"


class Runs(unittest.TestCase):
    def test_the_default_preset_has_the_digest_of_the_program_and_the_page(self):
        golden = pathlib.Path(__file__).parents[3] / "tests/browser/golden.json"
        self.assertEqual(json.loads(golden.read_text())["default"], DEFAULT)
        result = tiebreak.run("default")
        self.assertEqual(result.digest, DEFAULT)
        self.assertEqual(tiebreak.run().digest, DEFAULT)
        self.assertEqual(tiebreak.run(result.scenario).digest, DEFAULT)
        link = tiebreak.Scenario().link("https://example.org/")
        self.assertEqual(tiebreak.run(link).digest, DEFAULT)
        self.assertEqual(tiebreak.run(tiebreak.Scenario().to_dict()).digest, DEFAULT)
        self.assertNotEqual(tiebreak.run(set={"seed": 7}).digest, DEFAULT)

    def test_tables_go_to_pandas_polars_and_arrow(self):
        result = tiebreak.run("small")
        placements = pyarrow.table(result.placements)
        self.assertEqual(placements.column_names[:3], ["seq", "time_ms", "request"])
        self.assertEqual(len(polars.DataFrame(result.vms)), len(result.vms))
        series = pandas.DataFrame.from_arrow(result.series)
        self.assertEqual(len(series), len(result.series))
        self.assertGreater(series["PackingDensity"].max(), 0)
        placed = placements.column("outcome").to_pylist().count("placed")
        self.assertEqual(placed, result.figures["placements"])
        self.assertIn("<svg", result._repr_html_())

    def test_rules_are_objects_in_order(self):
        s = tiebreak.Scenario("small")
        before = [rule.name for rule in s.rules]
        s.rules.move("BestFit", 0)
        self.assertNotEqual([rule.name for rule in s.rules], before)
        s.rules["BestFit"].buckets = 4
        self.assertEqual(s.rules["BestFit"].buckets, 4)
        s.rules["BestFit"].buckets = None
        s.rules["BestFit"].on = False
        self.assertFalse(s.rules["BestFit"].on)
        own = s.rules.add({"rule": "Headroom", "custom": {
            "kind": "preference", "of": "machine", "expression": "machine.cores_free", "from": 0, "to": 64,
            "better": "higher"}})
        self.assertTrue(own.on)
        self.assertNotEqual(tiebreak.run(s).digest, tiebreak.run("small").digest)
        s.rules.remove("Headroom")
        self.assertNotIn("Headroom", [rule.name for rule in s.rules])

    def test_a_trace_from_a_table_runs_as_from_a_file(self):
        vms = tiebreak.Trace(tiebreak.run("small").vms).vms
        frame = pandas.DataFrame.from_arrow(vms)
        columns = {"cores": "vcpus", "memory_gib": "mem"}
        renamed = frame.rename(columns={ours: theirs for ours, theirs in columns.items()})
        whole = tiebreak.Trace(frame)
        self.assertEqual(tiebreak.Trace(renamed, columns).fingerprint, whole.fingerprint)
        self.assertEqual(tiebreak.Trace(polars.DataFrame(vms)).fingerprint, whole.fingerprint)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "trace.csv"
            frame.to_csv(file, index=False)
            self.assertEqual(tiebreak.Trace(file).fingerprint, whole.fingerprint)
            self.assertEqual(tiebreak.run(trace=file).digest, tiebreak.run(trace=whole).digest)

    def test_explanations_comparisons_sweeps_and_sizes(self):
        result = tiebreak.run("small")
        vm = pyarrow.table(result.vms).column("vm")[0].as_py()
        told = result.explain(vm)
        self.assertEqual(told["vm"], vm)
        self.assertIn("VM", str(told))
        found = tiebreak.compare("small", sets=[{"agents.count": 1}], seeds=2)
        self.assertEqual(len(found["seeds"]), 2)
        self.assertEqual(found["compared"][0]["set"], "agents.count=1")
        other = tiebreak.compare("small", tiebreak.Scenario("small").set({"agents.count": 1}), seeds=2)
        self.assertEqual(other["compared"][0]["differences"], found["compared"][0]["differences"])
        plan = {"scenario": "small", "parameters": [{"path": "agents.count", "values": [1, 2]}], "seeds": [1, 2]}
        rows = tiebreak.sweep(plan)
        self.assertEqual([row["agents.count"] for row in rows], [1, 1, 2, 2])
        self.assertEqual(rows[0]["digest"], tiebreak.run("small", set={"agents.count": 1, "seed": 1}).digest)
        self.assertGreaterEqual(tiebreak.size("small", machine="64x256", seeds=1)["machines"], 1)

    def test_a_search_is_judged_on_other_seeds(self):
        plan = {"scenario": "small", "objectives": [{"measure": "empty_hosts_pct_mean"}], "seeds": 8, "runs": 40}
        seen = []
        found = tiebreak.search(plan, progress=lambda done, all: seen.append((done, all)))
        self.assertEqual(found["found"], found["held_out"]["interval"][0] > 0)
        self.assertFalse({*found["searched"]["seeds"]} & {*found["held_out"]["seeds"]})
        lists = tiebreak.Scenario(found["list"]).to_dict()["variants"]
        self.assertEqual(len(lists), 2 if found["changes"] else 1)
        self.assertIn(found["sentence"], str(found))
        self.assertGreaterEqual(seen[-1][0], 40)

    def test_progress_is_told(self):
        seen = []
        tiebreak.run("small", progress=lambda done, all: seen.append((done, all)))
        self.assertEqual(seen[-1][0], seen[-1][1])
        bar = tqdm(total=0, file=io.StringIO())
        tiebreak.run("small", progress=bar)
        self.assertEqual(bar.n, bar.total)
        tiebreak.compare("small", sets=[{"agents.count": 1}], seeds=2, progress=True)

    def test_a_function_picks_among_the_machines_that_the_rules_left(self):
        plain, seen = tiebreak.run("small"), []

        def draw(decision):
            seen.append(decision)
            return decision.drawn

        features = ["machine.number", "vm.cores / machine.cores"]
        same = tiebreak.run("small", choose=draw, features=features)
        self.assertEqual(same.digest, plain.digest)
        self.assertGreaterEqual(len(seen), plain.figures["placements"])
        for decision in seen:
            self.assertEqual([row[0] for row in decision.values], list(decision.machines))
            self.assertTrue(all(0 < row[1] <= 1 for row in decision.values))
        last = tiebreak.run("small", choose=lambda decision: len(decision.machines) - 1)
        self.assertNotEqual(last.digest, plain.digest)
        with self.assertRaisesRegex(ValueError, "explain: expected a run whose machines were drawn"):
            last.explain(0)

    def test_what_the_function_raises_ends_the_run(self):
        asked = []

        def fail(decision):
            asked.append(decision)
            raise LookupError("no policy")

        with self.assertRaisesRegex(LookupError, "no policy"):
            tiebreak.run("small", choose=fail)
        self.assertEqual(len(asked), 1)
        for wrong in (lambda decision: len(decision.machines), lambda decision: None, lambda decision: -1):
            with self.assertRaisesRegex(ValueError, "choose: expected a whole number from 0 to"):
                tiebreak.run("small", choose=wrong)
        with self.assertRaisesRegex(ValueError, "choose: expected a function"):
            tiebreak.run("small", choose=3)
        with self.assertRaisesRegex(ValueError, r"features\[1\]: .*machine.vms"):
            tiebreak.run("small", choose=len, features=["vm.cores", "machine.vmz"])

    def test_a_widget_has_the_fleet_over_time_and_charts_when_they_are_asked_for(self):
        result = tiebreak.run("small")
        widget = result.widget()
        machines, rest = divmod(len(widget.frames), len(widget.times_ms))
        self.assertEqual((machines, rest), (24, 0))
        self.assertEqual(widget.times_ms, pyarrow.table(result.series).column("time_ms").to_pylist())
        empty = widget.frames[-machines:].count(0) / machines * 100
        self.assertAlmostEqual(empty, pyarrow.table(result.series).column("EmptyHosts").to_pylist()[-1], 1)
        self.assertEqual(list(widget.charts), ["EmptyHosts"])
        widget.metric = "PackingDensity"
        self.assertIn("<svg", widget.charts["PackingDensity"])
        chosen = tiebreak.run("small", choose=lambda decision: 0)
        with self.assertRaisesRegex(ValueError, "widget: expected a run whose machines were drawn"):
            chosen.widget()

    def test_ctrl_c_stops_a_run_and_a_comparison(self):
        # A shell without job control starts what it puts into the background with SIGINT ignored.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        for long in (
            lambda told: tiebreak.run("zone-10k", set={"agents.caches": False}, progress=told),
            lambda told: tiebreak.compare("zone-10k", sets=[{"agents.caches": False}], progress=told),
        ):
            began = threading.Event()

            def told(done, all, began=began):
                if not began.is_set():
                    began.set()
                    os.kill(os.getpid(), signal.SIGINT)

            with self.assertRaises(KeyboardInterrupt):
                long(told)
            self.assertTrue(began.is_set())

    def test_other_threads_go_on_while_it_runs(self):
        steps, over = [0], threading.Event()

        def count():
            while not over.is_set():
                steps[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = steps[0]
        tiebreak.run("default")
        self.assertGreater(steps[0], before)
        over.set()
        thread.join()


if __name__ == "__main__":
    unittest.main()
