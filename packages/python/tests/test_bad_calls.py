"""Two hundred generated bad calls: each is a ValueError with a sentence, and nothing panics."""

import math
import random
import unittest

import pandas

import tiebreak

CALLS = 200


class Odd:
    """What no argument is, with a __repr__ that fails."""

    def __repr__(self):
        raise RuntimeError("no")


def odd(draw):
    """A value that fits nowhere."""
    return draw.choice([
        lambda: Odd(), lambda: object(), lambda: b"\xff\x00", lambda: 3 + 4j, lambda: [[]], lambda: {1, 2},
        lambda: "\ud800", lambda: lambda: None, lambda: float("nan"), lambda: -math.inf, lambda: range(3),
    ])()


def document(draw):
    variant = draw.choice([
        {"agents": {"count": draw.choice([0, -1, 1e300, "many", None, [], True, 65])}},
        {"rules": [{"rule": draw.choice(["Nonesuch", "", "bestfit", "\0"])}]},
        {"rules": [{"rule": "Own", "custom": {"kind": "validator", "expression": draw.choice(
            ["vm.cores", "(", "1/", "machine.nothing > 0", "x" * 5000])}}]},
        {"seed": draw.choice([-1, 1.5, "seven", {}])},
        {"inventory": {"clusters": draw.choice([[], "none", [{"machines": -5}], [{"machines": 1e18}]])}},
        {"nonsense": 1},
    ])
    return {"version": 3, "variants": [variant]}


def table(draw):
    good = {"cores": [1, 2], "memory_gib": [4, 8], "start_s": [0, 1], "end_s": [5, 6]}
    return draw.choice([
        lambda: {},
        lambda: pandas.DataFrame(),
        lambda: pandas.DataFrame({"a": [1], "b": [2]}),
        lambda: {name: values for name, values in good.items() if name != draw.choice(["cores", "memory_gib"])} and
        {"start_s": [0], "cores": [1]},
        lambda: {**good, "cores": [1]},
        lambda: {**good, "cores": [math.nan, math.nan]},
        lambda: {**good, "cores": 3},
        lambda: {**good, "memory_gib": ["much", Odd]},
        lambda: {**good, "start_s": [None, None]},
        lambda: {1: [1], 2: [2]},
        lambda: {**good, "cores": [-1, -math.inf]},
        lambda: "nowhere/at/all.csv",
        lambda: {name: [] for name in good},
        lambda: odd(draw),
    ])()


def fields(draw):
    return draw.choice([
        lambda: {"agents.cuont": 1}, lambda: {"agents.count": draw.choice([0, "many", math.nan, 1e308, -5])},
        lambda: {"rules.Nonesuch.on": True}, lambda: {"rules.BestFit.buckets": draw.choice([0, -1, math.nan, "few"])},
        lambda: {1: 2}, lambda: {"seed": odd(draw)}, lambda: [("seed", 1)], lambda: {"": ""}, lambda: {"seed": -1},
        lambda: {"inventory.clusters.7.machines": 3}, lambda: "seed=7",
    ])()


def call(draw):
    """A bad call, and its words."""
    s = tiebreak.Scenario("small")
    some = draw.choice([
        lambda: ("run(scenario)", lambda: tiebreak.run(draw.choice([document(draw), odd(draw), "nonesuch", "#3.d.abc"]))),
        lambda: ("run(set)", lambda: tiebreak.run("small", set=fields(draw))),
        lambda: ("run(trace)", lambda: tiebreak.run(trace=table(draw))),
        lambda: ("Trace(columns)", lambda: tiebreak.Trace({"a": [1]}, draw.choice([{"cores": "b"}, 5, {1: 2}, ["a"]]))),
        lambda: ("run(variant)", lambda: tiebreak.run("small", variant=draw.choice(["Z", 5, odd(draw)]))),
        lambda: ("run(progress)", lambda: tiebreak.run("small", progress=draw.choice([5, "bar", [1]]))),
        lambda: ("rules.move", lambda: s.rules.move(draw.choice(["Nonesuch", odd(draw)]), draw.choice([0, -1, 1.5]))),
        lambda: ("rules[...]", lambda: s.rules[draw.choice(["Nonesuch", -10**20, 1.5, None])]),
        lambda: ("rule.buckets", lambda: setattr(s.rules["BestFit"], "buckets", draw.choice([0, "few", odd(draw)]))),
        lambda: ("rule.nothing", lambda: setattr(s.rules["BestFit"], "nothing", 1)),
        lambda: ("rules.add", lambda: s.rules.add(draw.choice(["nonesuch", {"rule": "A"}, {"custom": {}}, odd(draw), {
            "rule": "A", "custom": {"kind": "preference", "of": "moon", "expression": "1", "from": 0, "to": 1}}]))),
        lambda: ("rules.remove", lambda: s.rules.remove(draw.choice(["BestFit", "Nonesuch", odd(draw)]))),
        lambda: ("explain", lambda: SMALL.explain(draw.choice([-1, 2**80, 10**15, 1.5, odd(draw), "1"]))),
        lambda: ("explain(machine)", lambda: SMALL.explain(VM, draw.choice([-1, 10**9, 1.5, odd(draw)]))),
        lambda: ("chart", lambda: SMALL.chart(draw.choice(["Nonesuch", odd(draw)]))),
        lambda: ("chart(size)", lambda: SMALL.chart("EmptyHosts", draw.choice([0, -1, 10**9, math.nan]))),
        lambda: ("compare", lambda: tiebreak.compare("small", draw.choice([None, "nonesuch", odd(draw)]))),
        lambda: ("compare(sets)", lambda: tiebreak.compare("small", sets=draw.choice([[fields(draw)], 5, "seed=1"]))),
        lambda: ("compare(plans)", lambda: tiebreak.compare("small", plans=draw.choice([["no"], ["neighbours:x"], 5]))),
        lambda: ("compare(seeds)", lambda: tiebreak.compare("small", sets=[{"seed": 3}],
                                                              seeds=draw.choice([0, 65, 1.5, math.nan]))),
        lambda: ("sweep", lambda: tiebreak.sweep(draw.choice([{}, {"parameters": 5}, odd(draw), "nowhere.json", {
            "scenario": "small", "parameters": [{"path": "nothing", "values": [1]}]}]))),
        lambda: ("search", lambda: tiebreak.search(draw.choice([{}, {"objectives": 5}, odd(draw), "nowhere.json", {
            "scenario": "small", "objectives": [{"measure": "nothing"}]}]))),
        lambda: ("size", lambda: tiebreak.size("small", reject=draw.choice([-0.1, 1, math.nan, "x", odd(draw)]))),
        lambda: ("size(machine)", lambda: tiebreak.size("small", machine=draw.choice(["x", "0x0", "1x", "nan x nan", 5]))),
    ])
    return some()


SMALL = tiebreak.run("small")
VM = 0


class BadCalls(unittest.TestCase):
    def test_each_is_a_value_error_with_a_sentence(self):
        seen = set()
        for seed in range(CALLS):
            draw = random.Random(seed)
            name, bad = call(draw)
            with self.subTest(call=name, seed=seed):
                with self.assertRaises(ValueError) as caught:
                    bad()
                told = str(caught.exception)
                self.assertGreater(len(told), 20, told)
                self.assertLess(len(told), 4000, told)
                self.assertNotIn("panicked", told)
            seen.add(name)
        self.assertGreaterEqual(len(seen), 20)


if __name__ == "__main__":
    unittest.main()
