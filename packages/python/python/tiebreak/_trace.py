"""Traces from files and from tables in memory."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Mapping
from typing import Any

from . import _checks, _tiebreak


class Trace:
    """The requests to replay: a file of any format of ``tiebreak list formats``, or a table in memory.

    A table is a DataFrame of pandas or polars, anything of Arrow, or a dict of columns. Its columns have the names of
    ``tiebreak list formats`` (vm, tenant, cores, memory_gib, priority, start_s, end_s, ...); ``columns`` renames:
    ``{"cores": "vcpus"}``. Missing values are None or NaN.
    """

    def __init__(
        self,
        source: Any,
        columns: Mapping[str, str] | None = None,
        *,
        sample: str | None = None,
        without_outliers: bool = False,
        decimal_commas: bool | None = None,
    ) -> None:
        """``sample`` keeps a part, ``tenant:10``, ``request:10`` or ``vm:10``; ``without_outliers`` leaves out VMs that
        start years before or after all others; ``decimal_commas`` says whether 3,5 in a file is three and a half."""
        renamed = _checks.names("columns", columns)
        part = None if sample is None else _checks.text("sample", sample)
        if isinstance(source, (str, os.PathLike)):
            commas = None if decimal_commas is None else bool(decimal_commas)
            file = _checks.path("trace", source)
            self._native = _tiebreak.Trace.file(file, renamed, part, bool(without_outliers), commas)
        else:
            names, cells = _columns_of(source)
            self._native = _tiebreak.Trace.columns(names, cells, renamed, part, bool(without_outliers))
        for note in self._native.notes:
            if "invalid" in note:
                warnings.warn(f"trace: {note}", stacklevel=2)

    @property
    def notes(self) -> list[str]:
        """What the reader has to say, one sentence each."""
        return self._native.notes

    @property
    def fingerprint(self) -> str:
        """Equal for equal traces."""
        return self._native.fingerprint

    @property
    def vms(self) -> _tiebreak.Table:
        """One row per VM, as an Arrow table."""
        return self._native.vms

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return repr(self._native)


def trace_of(source: Any) -> _tiebreak.Trace | None:
    """What calls take as a trace."""
    if source is None:
        return None
    return source._native if isinstance(source, Trace) else Trace(source)._native


def _columns_of(table: Any) -> tuple[list[str], list[list[Any]]]:
    """The columns of a table, as lists."""
    if isinstance(table, Mapping):
        names = [_checks.text("trace", name) for name in table]
        cells = [_list_of(name, table[name]) for name in names]
    elif hasattr(table, "columns") and hasattr(table, "__getitem__"):
        names = [_checks.text("trace", name) for name in _checks.several("trace", table.columns, "column names")]
        cells = [_list_of(name, table[name]) for name in names]
    elif hasattr(table, "__arrow_c_stream__"):
        try:
            pyarrow: Any = importlib.import_module("pyarrow")
        except ImportError:
            raise ValueError("trace: expected pyarrow to read an Arrow stream, got none; pip install pyarrow") from None
        arrow = pyarrow.table(table)
        names, cells = list(arrow.column_names), [column.to_pylist() for column in arrow.columns]
    else:
        raise _checks.wrong("trace", "a file, a DataFrame, an Arrow table or a dict of columns", table,
                            'write {"cores": [...], "memory_gib": [...], "start_s": [...], "end_s": [...]}')
    if not names:
        raise _checks.wrong("trace", "columns (cores, memory_gib, start_s, end_s, ...)", table, "name at least these")
    return names, cells


def _list_of(name: str, column: Any) -> list[Any]:
    for convert in ("to_list", "tolist"):
        if hasattr(column, convert):
            column = getattr(column, convert)()
            break
    return _checks.several(f"trace[{name!r}]", column, "values")
