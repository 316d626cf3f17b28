"""Runs and what came out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _checks, _tiebreak
from ._asking import Finding
from ._choosing import Choosing, Decision, expressions
from ._scenario import Scenario, scenario_of
from ._trace import trace_of

if TYPE_CHECKING:
    from ._declared import Figures, MetricName
    from .widget import Widget

#: The metrics that a notebook shows of a result.
SHOWN: Sequence[MetricName] = ("EmptyHosts", "PackingDensity", "Conflicts")


def run(
    scenario: Any = None,
    trace: Any = None,
    set: Mapping[str, Any] | None = None,
    *,
    variant: str | None = None,
    progress: Any = None,
    choose: Callable[[Decision], Any] | None = None,
    features: Sequence[str] = (),
) -> Result:
    """Replays a scenario.

    ``scenario`` is what `Scenario` takes, ``trace`` what `Trace` takes. A trace without a scenario runs on the machines
    and the rules of the first preset. ``set`` changes fields by their paths. ``progress`` is True, tqdm, or a function
    of how many VMs are decided and how many there are. Ctrl-C stops the run.

    ``choose`` picks the machine of each VM in place of the random draw: a function of a `Decision` that returns a place
    in ``decision.machines``, the machines that the rules left. ``features`` are expressions whose values it sees of
    each machine. Every machine is then evaluated for every decision, which takes longer than a run with caches.
    """
    native, own, fields = scenario_of(scenario), trace_of(trace), _checks.fields("set", set)
    name = None if variant is None else _checks.text("variant", variant)
    with _checks.Progress("progress", progress, "VM") as told:
        if choose is None:
            return Result(_tiebreak.run(native, name, fields, own, told, None))
        if not callable(choose):
            raise _checks.wrong("choose", "a function of a decision", choose, "pass a def or a lambda")
        choosing = Choosing(choose, told)
        asked = expressions("features", features)
        result = Result(_tiebreak.run(native, name, fields, own, choosing.progress, (choosing, asked)))
        choosing.end()
        return result


class Result:
    """What came out of a run. Tables are of Arrow: ``pandas.DataFrame.from_arrow``, ``polars.from_arrow``, DuckDB and
    ``pyarrow.table`` take them without copies."""

    def __init__(self, native: _tiebreak.Run) -> None:
        self._native = native

    @property
    def digest(self) -> str:
        """Two runs share it only if all their decisions are the same."""
        return self._native.digest

    @property
    def warnings(self) -> list[str]:
        """What makes the figures doubtful, one sentence each."""
        return self._native.warnings

    @cached_property
    def figures(self) -> Figures:
        """Every figure by its id, as in summary.json; None where the run has nothing to say."""
        figures: Figures = json.loads(self._native.figures())
        return figures

    @cached_property
    def series(self) -> _tiebreak.Table:
        """One row per sample: time_ms and every metric."""
        return self._native.series()

    @cached_property
    def placements(self) -> _tiebreak.Table:
        """One row per VM and decision, in the order of the store's answers, as in placements.csv."""
        return self._native.placements()

    @cached_property
    def vms(self) -> _tiebreak.Table:
        """One row per VM with its fate, as in vms.csv."""
        return self._native.vms()

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario of this very run."""
        return Scenario(json.loads(self._native.scenario()))

    def explain(self, vm: int, machine: int | None = None) -> Explanation:
        """Why a VM went where it went, rule by rule, and why not to ``machine``."""
        asked = None if machine is None else _checks.whole("machine", machine)
        return Explanation(*self._native.explain(_checks.whole("vm", vm), asked))

    def chart(self, metric: MetricName | str = "PackingDensity", width: int = 720, height: int = 200) -> str:
        """A metric over time as SVG."""
        size = [_checks.whole(name, value, 100, 10_000) for name, value in (("width", width), ("height", height))]
        return self._native.chart(_checks.text("metric", metric), *size)

    def widget(self) -> Widget:
        """The fleet over time beside the charts, for notebooks (``pip install anywidget``). Replays the run once."""
        from .widget import Widget

        return Widget(self)

    def __repr__(self) -> str:
        figures = self.figures
        return f"<tiebreak.Result {self.digest}: {figures.get('placements')} VMs placed>"

    def _repr_html_(self) -> str:
        charts = "".join(f'<div style="max-width:720px">{self.chart(metric, 720, 160)}</div>' for metric in SHOWN)
        notes = "".join(f"<p>{_escaped(note)}</p>" for note in self.warnings)
        return f"<div>{notes}{charts}<p>Digest <code>{self.digest}</code></p></div>"


class Explanation(Finding):
    """The story of a VM: every decision about it, rule by rule."""


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
