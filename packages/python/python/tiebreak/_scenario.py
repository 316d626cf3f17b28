"""Scenarios and their rules, as objects that edit one document."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _checks, _tiebreak

if TYPE_CHECKING:
    from ._declared import PresetName, RuleName


class Scenario:
    """A whole scenario: machines, workload, rules, agents, seed.

    ``source`` is the name of a preset, a link, a document as a dict or as JSON, or the path of a file
    (``pathlib.Path``). A document must have no issues; each is told with its field.
    """

    def __init__(self, source: PresetName | str | os.PathLike[str] | Mapping[str, Any] | Scenario = "default") -> None:
        self._native: _tiebreak.Scenario
        self._native = source._native.copy() if isinstance(source, Scenario) else _tiebreak.Scenario(_text_of(source))

    @property
    def rules(self) -> Rules:
        """The rules of the active variant, in order."""
        return Rules(self)

    def set(self, fields: Mapping[str, Any]) -> Scenario:
        """Sets fields of the active variant: ``{"agents.count": 2, "rules.BestFit.buckets": None}``."""
        self._native.set(_checks.fields("set", fields))
        return self

    def copy(self) -> Scenario:
        return Scenario(self)

    def to_dict(self) -> dict[str, Any]:
        """The document, with every setting."""
        document: dict[str, Any] = json.loads(self._native.json())
        return document

    def to_json(self) -> str:
        return self._native.json()

    def link(self, page: str = "") -> str:
        """The scenario as a link to this address of the page, or the part after #."""
        part = self._native.link()
        return f"{_checks.text('page', page)}#{part}" if page else part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<tiebreak.Scenario {self.to_dict().get('name', '')!r}>"

    def _rows(self) -> list[dict[str, Any]]:
        document = self.to_dict()
        rows: list[dict[str, Any]] = document["variants"][document.get("active", 0)]["rules"]
        return rows


def _text_of(source: Any) -> str:
    if isinstance(source, Mapping):
        return _checks.as_json("scenario", source)
    if isinstance(source, os.PathLike):
        file = _checks.path("scenario", source)
        try:
            with open(file, encoding="utf-8") as opened:
                return opened.read()
        except (OSError, ValueError) as error:
            raise ValueError(f"scenario: expected a document in {file}, got: {error}; check the path") from None
    if isinstance(source, str):
        return _checks.text("scenario", source)
    raise _checks.wrong("scenario", "a preset, a link, a document or a pathlib.Path", source, 'write "default"')


def scenario_of(source: Any) -> _tiebreak.Scenario | None:
    """What calls take as a scenario."""
    if source is None:
        return None
    return (source if isinstance(source, Scenario) else Scenario(source))._native


class Rules(Sequence["Rule"]):
    """The rules of a scenario, stage by stage in order; those that are off keep their place."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def __len__(self) -> int:
        return len(self._scenario._rows())

    def __getitem__(self, key: Any) -> Any:
        """A rule by its name or its place in the whole list."""
        rows = self._scenario._rows()
        if isinstance(key, slice):
            return [Rule(self._scenario, row["rule"]) for row in rows[key]]
        if isinstance(key, str):
            for row in rows:
                if row["rule"] == key:
                    return Rule(self._scenario, key)
            raise ValueError(f"rules: expected a rule of the list ({', '.join(row['rule'] for row in rows)}), got "
                             f"{key[:60]!r}; choose one of these")
        place = _checks.whole("rules", key, -len(rows), len(rows))
        return Rule(self._scenario, rows[place]["rule"])  # Past the end this is IndexError, as iteration needs it.

    def __iter__(self) -> Iterator[Rule]:
        return (Rule(self._scenario, row["rule"]) for row in self._scenario._rows())

    def move(self, rule: RuleName | str, place: int) -> None:
        """Moves a rule to a place in its stage, from 0; a larger one means the end."""
        self._scenario._native.move_rule(_checks.text("rules", rule), _checks.whole("place", place))

    def add(self, rule: str | Mapping[str, Any]) -> Rule:
        """Adds a rule of the gallery by its name, or one of your own::

            s.rules.add({"rule": "Headroom", "custom": {"kind": "preference", "of": "machine",
                "expression": "machine.cores_free", "from": 0, "to": 64, "better": "higher"}})
        """
        given = _checks.as_json("rule", rule) if isinstance(rule, Mapping) else _checks.text("rule", rule)
        return Rule(self._scenario, self._scenario._native.put_rule(given))

    def remove(self, rule: str) -> None:
        """Removes a rule of your own."""
        self._scenario._native.remove_rule(_checks.text("rules", rule))

    def __repr__(self) -> str:
        return "[" + ", ".join(repr(rule) for rule in self if rule.on) + "]"


class Rule:
    """One rule of a scenario. Setting an attribute edits the scenario."""

    __slots__ = ("_scenario", "name")

    _scenario: Scenario
    name: str

    def __init__(self, scenario: Scenario, name: str) -> None:
        object.__setattr__(self, "_scenario", scenario)
        object.__setattr__(self, "name", name)

    def _row(self) -> dict[str, Any]:
        return next(row for row in self._scenario._rows() if row["rule"] == self.name)

    @property
    def on(self) -> bool:
        """Whether it is switched on."""
        return bool(self._row().get("on", True))

    @property
    def buckets(self) -> int | None:
        """Steps of its score; None compares scores as they are."""
        buckets: int | None = self._row().get("buckets")
        return buckets

    @property
    def weight(self) -> float | None:
        """Its weight when weights are set by hand."""
        weight: float | None = self._row().get("weight")
        return weight

    @property
    def values(self) -> dict[str, Any]:
        """Its parameters."""
        values: dict[str, Any] = dict(self._row().get("values", {}))
        return values

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets ``on``, ``buckets``, ``weight`` or a parameter."""
        field = f"rules.{self.name}.{name}"
        self._scenario._native.set([(field, _checks.value_text(field, value))])

    def __repr__(self) -> str:
        buckets = self.buckets
        return f"<{self.name}{'' if self.on else ' (off)'}{'' if buckets is None else f', {buckets} buckets'}>"
