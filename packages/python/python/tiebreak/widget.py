"""A result in a notebook: the fleet over time, and the metrics as charts (``pip install anywidget``)."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError(f"tiebreak.widget: expected anywidget to be installed ({error}); pip install anywidget") from None

from . import _tiebreak

if TYPE_CHECKING:
    from ._result import Result

#: The size of a chart in px.
CHART = (720, 160)


class Widget(anywidget.AnyWidget):
    """``time`` is the number of the frame that is shown, ``machine`` the number of the machine that was clicked, or
    -1. Both can be set and observed: ``widget.observe(lambda change: print(change.new), "machine")``."""

    _esm = pathlib.Path(__file__).parent / "widget.mjs"

    #: One byte for each machine and frame.
    frames = traitlets.Bytes().tag(sync=True)
    #: When each frame was taken.
    times_ms = traitlets.List(traitlets.Int()).tag(sync=True)
    #: The metrics: id, title, unit and what they say.
    metrics = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    #: The charts that were asked for so far, as SVG.
    charts = traitlets.Dict().tag(sync=True)
    metric = traitlets.Unicode("EmptyHosts").tag(sync=True)
    time = traitlets.Int(0, min=0).tag(sync=True)
    machine = traitlets.Int(-1).tag(sync=True)

    def __init__(self, result: Result) -> None:
        times, frames = result._native.frames()
        shown: Sequence[Sequence[str]] = _tiebreak.metrics()
        self._result = result
        first = "EmptyHosts"
        super().__init__(
            frames=frames, times_ms=times, metrics=[list(it) for it in shown], time=max(0, len(times) - 1),
            charts={first: result.chart(first, *CHART)},
        )
        self.observe(self._draw, "metric")

    def _draw(self, change: Any) -> None:
        if change.new not in self.charts:
            self.charts = {**self.charts, change.new: self._result.chart(change.new, *CHART)}


__all__ = ["Widget"]
