"""A reader that is asked for places alone finds those that the tracing reader does."""

from contextlib import suppress

import pytest
from tests.support.modules import module_of

from byteloom.editing.placing import PlacingReader
from byteloom.errors import ByteloomError
from byteloom.wire import TracingReader

SPECS = {
    "runs of numbers, floats and bytes": """
seq:
  - {id: a, type: u2be}
  - {id: b, type: s4}
  - {id: c, size: 3}
  - {id: d, type: f4}
  - {id: e, type: f8le}
""",
    "bits that fill bytes": """
seq:
  - {id: a, type: b3}
  - {id: b, type: b7}
  - {id: c, type: b6}
  - {id: d, type: b9le}
  - {id: e, type: b15le}
""",
    "bits that do not": "seq: [{id: a, type: b3}, {id: b, type: b7}, {id: c, type: u1}]",
    "records, lists, streams and parts elsewhere": """
seq:
  - {id: at, type: u1}
  - {id: xs, type: u2, repeat: expr, repeat-expr: 2}
  - {id: pairs, type: pair, repeat: expr, repeat-expr: 2}
  - {id: inside, type: pair, size: 4}
instances:
  part: {pos: at, type: pair}
types:
  pair: {seq: [{id: first, type: u1}, {id: class, type: u2}]}
""",
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("size", range(26))
def test_fields_have_the_same_places(spec: str, size: int) -> None:
    """Fields have the same names and places in records and in runs, even when bytes are cut off."""
    data = bytes(range(1, size + 1))
    assert places(PlacingReader, spec, data) == places(TracingReader, spec, data)


def places(
    reader: type[TracingReader], spec: str, data: bytes
) -> list[tuple[str, int, int, object]]:
    """Return the name, the place and the record of every node, in the order of reading."""
    kind = module_of(spec).Sample
    r = reader(data)
    with suppress(ByteloomError):
        record = r.whole(kind.NAME, kind.read)
        for name in kind.LAZY:
            getattr(record, name)
    r.trail.traced.settle()
    found, waiting = [], [r.root]
    while waiting:
        node = waiting.pop()
        found.append((node.name, node.start, node.end, getattr(node.record, "__name__", None)))
        waiting += reversed(node.children)
    return found
