"""A simulator of VM placement by ordered rules (Protean, OSDI 2020).

Runs are those of the native program and of the page, digest for digest. What is wrong with an argument is a
``ValueError`` that names the field, what was expected, what came and what to do.
"""

from __future__ import annotations

from ._asking import Finding, compare, search, size, sweep
from ._choosing import Decision
from ._result import Explanation, Result, run
from ._scenario import Rule, Rules, Scenario
from ._tiebreak import Table, __version__, metrics, presets
from ._trace import Trace

__all__ = [
    "Decision", "Explanation", "Finding", "Result", "Rule", "Rules", "Scenario", "Table", "Trace", "__version__",
    "compare", "metrics", "presets", "run", "search", "size", "sweep",
]
