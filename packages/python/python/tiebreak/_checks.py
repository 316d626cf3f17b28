"""Arguments become what the native half takes, or a ``ValueError`` that says what to pass instead."""

from __future__ import annotations

import importlib
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

SHOWN = 60


def shown(value: Any) -> str:
    """A value in a message: its type, and a short form."""
    try:
        text = repr(value)
    except Exception:  # A foreign __repr__ may do anything.
        return type(value).__name__
    text = text if len(text) <= SHOWN else text[:SHOWN] + "..."
    return f"{type(value).__name__} {text}"


def wrong(field: str, expected: str, value: Any, advice: str) -> ValueError:
    return ValueError(f"{field}: expected {expected}, got {shown(value)}; {advice}")


def text(field: str, value: Any) -> str:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise wrong(field, "a text in Unicode", value, "leave out lone surrogates") from None
        return value
    raise wrong(field, "a text", value, "pass a str")


def path(field: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return text(field, value)


def whole(field: str, value: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number, also one of numpy."""
    if not isinstance(value, bool):
        try:
            number = value.__index__()
        except Exception:
            number = None
        if number is not None and least <= number <= most:
            return int(number)
    raise wrong(field, f"a whole number from {least} to {most}", value, "pass an int in this range")


def real(field: str, value: Any) -> float:
    if not isinstance(value, (bool, str, bytes)):
        try:
            number = float(value)
        except Exception:
            number = math.nan
        if math.isfinite(number):
            return number
    raise wrong(field, "a finite number", value, "pass an int or a float")


def fields(field: str, given: Any) -> list[tuple[str, str]]:
    """Fields by their paths, as the native half takes them."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise wrong(field, "a dict of fields and values", given, 'write {"agents.count": 2}')
    return [(text(field, key), value_text(f"{field}[{key!r}]", value)) for key, value in given.items()]


def value_text(field: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return text(field, value)
    if isinstance(value, bool) or type(value).__name__ == "bool_" or type(value).__name__ == "bool":
        return "true" if value else "false"
    try:
        return str(value.__index__())
    except Exception:
        return repr(real(field, value))


def as_json(field: str, value: Any) -> str:
    """A dict as JSON; NaN has no place in it."""
    def fallback(other: Any) -> Any:
        for convert in ("item", "tolist"):
            if hasattr(other, convert):
                return getattr(other, convert)()
        raise TypeError(f"{type(other).__name__} has no place in JSON")

    try:
        return json.dumps(value, allow_nan=False, default=fallback)
    except Exception as error:
        raise ValueError(f"{field}: expected texts, finite numbers, True, False, None, lists and dicts, got: {error}; "
                         "replace what is something else") from None


def names(field: str, given: Any) -> list[tuple[str, str]]:
    """Pairs of the reader's column name and the table's."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise wrong(field, "a dict of names", given, 'write {"cores": "vcpus"}')
    return [(text(field, key), text(f"{field}[{key!r}]", value)) for key, value in given.items()]


def several(field: str, given: Any, what: str) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise wrong(field, f"a list of {what}", given, "put them into a list")
    return list(given)


class Progress:
    """Progress in the manner of tqdm: ``True``, ``tqdm`` itself, a bar with ``total`` and ``update``, or a function of
    how much is done and how much there is."""

    def __init__(self, field: str, given: Any, unit: str) -> None:
        self.bar: Any = None
        self.call: Callable[[int, int], Any] | None = None
        self.at = self.all = 0
        self.is_ours = False
        if given is None or given is False:
            return
        if given is True:
            try:
                given = importlib.import_module("tqdm.auto").tqdm
            except ImportError:
                raise ValueError(f"{field}: expected tqdm to be installed, got none; pip install tqdm") from None
        if hasattr(given, "update") and not isinstance(given, type):
            self.bar = given
        elif isinstance(given, type) and hasattr(given, "update"):
            self.bar, self.is_ours = given(total=0, unit=unit), True
        elif callable(given):
            self.call = given
        else:
            raise wrong(field, "True, tqdm, a bar or a function", given, "leave it out for none")

    def __enter__(self) -> Callable[[int, int], Any] | None:
        return self._told if self.bar is not None or self.call is not None else None

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self.at < self.all:
            self._told(self.all, self.all)
        if self.is_ours:
            self.bar.close()

    def _told(self, done: int, all: int) -> None:
        if self.call is not None:
            self.call(done, all)
        else:
            self.bar.total = all
            self.bar.update(done - self.at)
        self.at, self.all = done, all
