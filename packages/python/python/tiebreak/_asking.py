"""Questions that take several runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import _checks, _tiebreak
from ._scenario import Scenario, scenario_of
from ._trace import trace_of


class Finding(Mapping[str, Any]):
    """A finding as a dict; ``print`` shows it in words, as the program does."""

    def __init__(self, found: str, words: str) -> None:
        self._found: dict[str, Any] = json.loads(found)
        self._words = words

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        return self._words

    __repr__ = __str__


def compare(
    scenario: Any = None,
    other: Any = None,
    *,
    sets: Any = (),
    plans: Any = (),
    seeds: int = 8,
    trace: Any = None,
    set: Mapping[str, Any] | None = None,
    progress: Any = None,
) -> Finding:
    """What another scenario, or other fields, would change, over paired seeds with 95 % intervals.

    ``other`` is a scenario or a list of them; ``sets`` a list of dicts of fields, each a variant; ``plans`` a list of
    ``each-rule-off`` and ``neighbours:PATH``. ``set`` changes what all are compared with.
    """
    others = [] if other is None else other if isinstance(other, (list, tuple)) else [other]
    named = [(f"scenario {chr(ord('B') + nth % 25)}", Scenario(it)._native) for nth, it in enumerate(others)]
    changed = [_checks.fields(f"sets[{nth}]", it) for nth, it in enumerate(_checks.several("sets", sets, "dicts"))]
    planned = [_checks.text(f"plans[{nth}]", it) for nth, it in enumerate(_checks.several("plans", plans, "names"))]
    native, own, fields = scenario_of(scenario), trace_of(trace), _checks.fields("set", set)
    count = _checks.whole("seeds", seeds, 1, 64)
    with _checks.Progress("progress", progress, "run") as told:
        return Finding(*_tiebreak.compare(native, fields, named, changed, planned, count, own, told))


def sweep(
    plan: Any,
    *,
    scenario: Any = None,
    trace: Any = None,
    set: Mapping[str, Any] | None = None,
    progress: Any = None,
) -> list[dict[str, Any]]:
    """One scenario over values of its fields and over seeds: a flat dict per run, as ``pandas.DataFrame`` takes them.

    ``plan`` is a dict as in a plan's file, or its path; ``scenario`` takes the place of the plan's.
    """
    text, native = _planned(plan, scenario, "sweep", "docs/SWEEPS.md")
    own, fields = trace_of(trace), _checks.fields("set", set)
    with _checks.Progress("progress", progress, "run") as told:
        rows = json.loads(_tiebreak.sweep(text, native, fields, own, told))
    return [
        {"number": row["number"], **row["values"], "seed": row["seed"], "digest": row["digest"], **row["measures"]}
        for row in rows
    ]


def search(
    plan: Any,
    *,
    scenario: Any = None,
    trace: Any = None,
    set: Mapping[str, Any] | None = None,
    progress: Any = None,
) -> Finding:
    """A better list of rules for a scenario, judged on seeds that were not searched on.

    ``plan`` is a dict as in a plan's file, or its path; ``scenario`` takes the place of the plan's. ``found`` says
    whether the list is certainly better, and ``Scenario(finding["list"])`` has it as the active variant.
    """
    text, native = _planned(plan, scenario, "search", "docs/SEARCH.md")
    own, fields = trace_of(trace), _checks.fields("set", set)
    with _checks.Progress("progress", progress, "run") as told:
        return Finding(*_tiebreak.search(text, native, fields, own, told))


def _planned(plan: Any, scenario: Any, kind: str, page: str) -> tuple[str, _tiebreak.Scenario]:
    """A plan as JSON, and the scenario that it is about."""
    beside = Path()
    if isinstance(plan, (str, os.PathLike)):
        file = _checks.path("plan", plan)
        beside = Path(file).parent
        try:
            plan = json.loads(Path(file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ValueError(f"plan: expected a {kind} plan in {file[:200]}, got: {error}; check the path") from None
    if not isinstance(plan, Mapping):
        raise _checks.wrong("plan", f"a dict or the path of a {kind} plan", plan, f"see {page}")
    text = _checks.as_json("plan", plan)
    if scenario is None:
        scenario = plan.get("scenario", "default")
        if isinstance(scenario, str) and scenario.endswith(".json"):
            scenario = beside / scenario
    native = scenario_of(scenario)
    assert native is not None
    return text, native


def size(
    scenario: Any = None,
    *,
    trace: Any = None,
    machine: str | None = None,
    reject: float = 0.001,
    seeds: int = 3,
    set: Mapping[str, Any] | None = None,
    progress: Any = None,
) -> Finding:
    """How many machines a workload needs so that at most the share ``reject`` of its VMs is rejected.

    ``machine`` is cores and GiB of one machine, ``64x256``; without it the scenario's own, or for a trace alone what
    suits it.
    """
    native, own, fields = scenario_of(scenario), trace_of(trace), _checks.fields("set", set)
    kind = None if machine is None else _checks.text("machine", machine)
    share, count = _checks.real("reject", reject), _checks.whole("seeds", seeds, 1, 100)
    with _checks.Progress("progress", progress, "seed") as told:
        return Finding(*_tiebreak.size(native, fields, own, kind, share, count, told))
