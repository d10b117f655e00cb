"""pylance, with a version that is no longer the newest, commits after us as after itself."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

ROWS = pa.table({"id": range(6), "text": list("abcdef")})
NUMBERS = pa.table({"n": pa.array(range(1, 7), pa.int64())})
REQUIRED = NUMBERS.cast(pa.schema([pa.field("n", pa.int64(), nullable=False)]))

CHANGES: dict[str, Callable[[Path], object]] = {
    "append": lambda place: lance.write_dataset(place, ROWS, mode="append"),
    "overwrite": lambda place: lance.write_dataset(place, ROWS, mode="overwrite"),
    "delete rows": lambda place: lance.open_dataset(place).delete("id = 1"),
    "delete a fragment": lambda place: lance.open_dataset(place).delete("id < 3"),
    "add a column": lambda place: lance.open_dataset(place).add_columns(NUMBERS),
    "add a required column": lambda place: lance.open_dataset(place).add_columns(REQUIRED),
    "drop a column": lambda place: lance.open_dataset(place).drop_columns(["text"]),
}
"""Changes by us."""

PEERS: dict[str, Callable[[Any], object]] = {
    "append": lambda peer: peer.insert(ROWS),
    "overwrite": lambda peer: import_module("lance").write_dataset(ROWS, peer, mode="overwrite"),
    "delete rows": lambda peer: peer.delete("id = 1"),
    "delete a fragment": lambda peer: peer.delete("id < 3"),
    "add a column": lambda peer: peer.add_columns({"n": "id + 1"}),
    "add a required column": lambda peer: peer.add_columns(REQUIRED.to_reader()),
    "drop a column": lambda peer: peer.drop_columns(["text"]),
}
"""The same changes by pylance."""

THEN: dict[str, Callable[[Any], object]] = {
    "append": lambda peer: peer.insert(ROWS),
    "delete of another row": lambda peer: peer.delete("id = 2"),
    "delete in another fragment": lambda peer: peer.delete("id = 5"),
    "new column": lambda peer: peer.add_columns({"m": "id + 1"}),
    "update": lambda peer: peer.update({"text": "'z'"}, where="id = 4"),
}
"""What pylance does then, with the version before."""


def outcome(place: Path, change: Callable[[], object], then: Callable[[Any], object]) -> Any:
    """The rows after both, or the kind of conflict that pylance finds."""
    peer = import_module("lance")
    before = peer.dataset(str(place))
    change()
    try:
        then(before)
    except (OSError, RuntimeError, ValueError) as error:
        return str(error).partition(":")[0].partition(" for version")[0]
    found = peer.dataset(str(place)).to_table()
    return found.schema.names, sorted(found.to_pylist(), key=str)


@pytest.mark.parametrize("then", THEN)
@pytest.mark.parametrize("change", CHANGES)
def test_pylance_rebases_on_our_changes_as_on_its_own(
    change: str, then: str, tmp_path: Path
) -> None:
    """A change that lost the race to us is repeated or refused as if pylance had been first."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for place in (ours, theirs):
        lance.write_dataset(place, ROWS, max_rows_per_file=3)
    peer = import_module("lance").dataset(str(theirs))
    found = outcome(ours, lambda: CHANGES[change](ours), THEN[then])
    assert found == outcome(theirs, lambda: PEERS[change](peer), THEN[then])
