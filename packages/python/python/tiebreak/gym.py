"""Placement as an environment of Gymnasium, for learned policies (``pip install gymnasium``)."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

try:
    import gymnasium
    import numpy
except ImportError as error:
    raise ImportError(f"tiebreak.gym: expected gymnasium to be installed ({error}); pip install gymnasium") from None

from . import _checks
from ._choosing import Decision, expressions
from ._result import Result, run

#: What is known of each candidate, if nothing else is asked for.
FEATURES: Sequence[str] = ("vm.cores", "vm.memory", "machine.cores_free", "machine.memory_free", "machine.vms")

Observation = dict[str, Any]


class Environment(gymnasium.Env[Observation, Any]):
    """An episode is a run, a step is a decision: the rules of the scenario leave candidates, and the agent picks one.

    An observation has ``features``, a row of values for each candidate, and ``mask``, 1 for each row that is a
    candidate. With more candidates than ``most``, as many are taken at even distances. Picking a row without a
    candidate leaves the choice to the run's own random draw. ``info`` has the ``decision``, and at the end the
    ``result``.

    ``features`` are expressions of machines, as in rules of one's own (``tiebreak list names``). ``reward`` is the id
    of a figure of the run, given at its end, or a function of each decision and the place in ``decision.machines``
    that was taken; its sign is yours.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        scenario: Any = None,
        trace: Any = None,
        set: Mapping[str, Any] | None = None,
        *,
        features: Sequence[str] = FEATURES,
        most: int = 16,
        reward: str | Callable[[Decision, int], float] = "empty_hosts_pct_mean",
    ) -> None:
        self._features = expressions("features", features)
        self._most = _checks.whole("most", most, 1, 100_000)
        if not self._features:
            raise _checks.wrong("features", "at least one expression", features, "leave it out for the usual ones")
        self._reward = reward if callable(reward) else _checks.text("reward", reward)
        self._asked = {"scenario": scenario, "trace": trace}
        self._set = dict(set or {})
        self._episode: _Episode | None = None
        self._decision: Decision | None = None
        shape = (self._most, len(self._features))
        self.action_space = gymnasium.spaces.Discrete(self._most)
        self.observation_space = gymnasium.spaces.Dict({
            "features": gymnasium.spaces.Box(-numpy.inf, numpy.inf, shape, numpy.float64),
            "mask": gymnasium.spaces.MultiBinary(self._most),
        })

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a run up to its first decision. ``seed`` is the seed of the scenario from now on."""
        super().reset(seed=seed)
        self.close()
        if seed is not None:
            self._set["seed"] = seed
        self._episode = _Episode({**self._asked, "set": self._set, "features": self._features})
        heard = self._episode.next()
        if isinstance(heard, Result):
            self._episode = None
            raise ValueError("scenario: expected VMs to place, got a run without a decision; take another trace")
        return self._observe(heard), {"decision": heard}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Takes the machine of a row, and goes on to the next decision or to the end of the run."""
        episode, decision = self._episode, self._decision
        if episode is None or decision is None:
            raise ValueError("step: expected an episode under way, got none; call reset first")
        rows = self._rows(decision)
        row = _checks.whole("action", action, 0, self._most - 1)
        place = rows[row] if row < len(rows) else decision.drawn
        reward = self._reward(decision, place) if callable(self._reward) else 0.0
        # If the run fails now, there is nothing to answer any more.
        self._decision = None
        episode.answer(place)
        heard = episode.next()
        if not isinstance(heard, Result):
            return self._observe(heard), float(reward), False, False, {"decision": heard}
        self._episode = None
        if not callable(self._reward):
            reward = self._figure(heard, self._reward)
        return self._empty(), float(reward), True, False, {"result": heard}

    def close(self) -> None:
        """Ends the episode under way."""
        if self._episode is not None:
            self._episode.stop()
        self._episode = self._decision = None

    @staticmethod
    def _figure(result: Result, id: str) -> float:
        figures: Mapping[str, Any] = {**result.figures}
        value = figures.get(id)
        if isinstance(value, (int, float)):
            return value
        raise _checks.wrong("reward", "a figure with a number (`tiebreak list figures`)", id, "take another")

    def _rows(self, decision: Decision) -> list[int]:
        """The places of the candidates that are shown."""
        count = len(decision.machines)
        shown = min(count, self._most)
        return [at * count // shown for at in range(shown)]

    def _observe(self, decision: Decision) -> Observation:
        self._decision = decision
        rows, seen = self._rows(decision), self._empty()
        seen["features"][: len(rows)] = [decision.values[row] for row in rows]
        seen["mask"][: len(rows)] = 1
        return seen

    def _empty(self) -> Observation:
        shape = (self._most, len(self._features))
        return {"features": numpy.zeros(shape, numpy.float64), "mask": numpy.zeros(self._most, numpy.int8)}


class _Stopped(Exception):
    pass


class _Episode:
    """A run in a thread of its own, which waits at each decision for its answer."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self._heard: queue.SimpleQueue[Decision | Result | BaseException] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._asked = asked
        self._thread = threading.Thread(target=self._run, name="tiebreak episode", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._heard.put(run(**self._asked, choose=self._choose))
        except BaseException as error:
            self._heard.put(error)

    def _choose(self, decision: Decision) -> int:
        self._heard.put(decision)
        place = self._answers.get()
        if place is None:
            raise _Stopped
        return place

    def next(self) -> Decision | Result:
        """The next decision, or the run at its end."""
        heard = self._heard.get()
        if isinstance(heard, BaseException):
            raise heard
        return heard

    def answer(self, place: int) -> None:
        self._answers.put(place)

    def stop(self) -> None:
        self._answers.put(None)
        self._thread.join()


__all__ = ["FEATURES", "Environment"]
