"""A function of one's own that picks the machine of each VM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from . import _checks


class Decision(NamedTuple):
    """A decision: the machines that the rules left for a VM, at least one."""

    #: The VM's number in the trace.
    vm: int
    #: When it is decided.
    time_ms: int
    #: 0, or how many times the store has refused the VM's request.
    attempt: int
    #: The machines by number, or best first while conflicts are being avoided.
    machines: Sequence[int]
    #: The place in ``machines`` of the one that the run's own random draw gives.
    drawn: int
    #: For each machine the values of ``features``.
    values: Sequence[Sequence[float]]


def expressions(field: str, given: Any) -> list[str]:
    texts = _checks.several(field, given, "expressions")
    return [_checks.text(f"{field}[{at}]", text) for at, text in enumerate(texts)]


class Choosing:
    """Asks the function for each decision. Its first error ends the run."""

    def __init__(self, choose: Callable[[Decision], Any], told: Callable[[int, int], Any] | None) -> None:
        self.choose = choose
        self.told = told
        self.error: BaseException | None = None

    def __call__(
        self, vm: int, time_ms: int, attempt: int, machines: list[int], drawn: int, values: list[float]
    ) -> int:
        if self.error is not None:
            return drawn
        width = len(values) // len(machines)
        rows = [values[at * width:(at + 1) * width] for at in range(len(machines))]
        try:
            place = self.choose(Decision(vm, time_ms, attempt, machines, drawn, rows))
            return _checks.whole("choose", place, 0, len(machines) - 1)
        except BaseException as error:
            self.error = error
            return drawn

    def end(self) -> None:
        """Raises what the function raised."""
        if self.error is not None:
            raise self.error

    def progress(self, done: int, all: int) -> None:
        self.end()
        if self.told is not None:
            self.told(done, all)
