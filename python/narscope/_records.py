"""Tables of measurements: what a run logged, and scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from narscope._optional import require

_Self = TypeVar("_Self", bound="Records")


class Records(Sequence["dict[str, Any]"]):
    """A list of dictionaries, which is a table."""

    def __init__(self, records: Sequence[dict[str, Any]]) -> None:
        self._records = list(records)

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._records)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self: _Self, index: slice) -> _Self: ...

    def __getitem__(self: _Self, index: int | slice) -> dict[str, Any] | _Self:
        found = self._records[index]
        return type(self)(found) if isinstance(found, list) else found

    def where(self: _Self, **values: Any) -> _Self:
        """The records that have these values, such as ``split="val"``."""
        return type(self)([it for it in self if all(it.get(key) == value for key, value in values.items())])

    def to_pandas(self) -> Any:
        """A DataFrame with a row per record; values of probes are columns such as ``outputs/pi``."""
        pandas = require("pandas", purpose=f"{type(self).__name__}.to_pandas", extra="pandas")
        return pandas.DataFrame([_flat(record) for record in self])

    def _repr_html_(self) -> str:
        """The table, in a notebook that has pandas."""
        return str(self.to_pandas()._repr_html_())


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record without dictionaries and lists of probes in it."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat.update({f"{key}/{name}": inner for name, inner in value.items()})
        elif isinstance(value, list) and all(isinstance(it, dict) and "probe" in it for it in value):
            flat.update({f"{key}/{it['probe']}": it["score"] for it in value})
        else:
            flat[key] = value
    return flat


class History(Records):
    """What training measured, in the order of steps: a record per step, split (``train``, ``val``, ``test``) and algorithm."""

    @classmethod
    def read(cls, file: Path) -> History:
        """The lines of ``metrics.jsonl``; a last line that is being written is left out."""
        records = []
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        for line in lines:
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            record.pop("check", None)
            records.append(record)
        return cls(records)

    def __repr__(self) -> str:
        if not self:
            return "History without records"
        last = self[-1]["step"]
        splits = ", ".join(dict.fromkeys(record["split"] for record in self))
        return f"History of {len(self)} records up to step {last} ({splits})"


class Scores(Records):
    """Scores of a network, a record per algorithm."""

    @property
    def mean(self) -> float:
        """The mean score over the algorithms, from 0 to 1."""
        return float(sum(record["score"] for record in self) / len(self))

    def of(self, algorithm: str) -> dict[str, Any]:
        """The record of one algorithm."""
        for record in self:
            if record["algorithm"] == algorithm:
                return record
        known = ", ".join(record["algorithm"] for record in self)
        raise KeyError(f"there are no scores of {algorithm}, only of {known}")

    def __repr__(self) -> str:
        lines = []
        for record in self:
            outputs = ", ".join(f"{it['probe']} {it['score']:.2%}" for it in record["outputs"])
            valid = f", valid {record['valid']['score']:.2%}" if record.get("valid") else ""
            lines.append(
                f"{record['algorithm']}: score {record['score']:.2%}, exact {record['exact']:.2%}{valid} "
                f"({record['samples']} samples of {record['nodes']} nodes; {outputs})"
            )
        return "\n".join(lines) or "no scores"
