"""What a window shows of a folded run: the nodes that a tree without folds has there.

What is folded is set by modules of the command line alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from byteloom.wire import Folding, TracingReader, Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.wire import Node

BOXES = bytes([7, *(each for size in (0, 9, 1, 12, 0, 5, 8) for each in (size, *range(size)))])
"""A count of boxes, and each box: the count of its items, the items."""


def _item(r: TracingReader) -> int:
    value: int = r.u1("value")
    return value


def _box(r: TracingReader) -> list[int]:
    return r.records("items", r.u1("count"), _item, each=1)


def _boxes(folding: Folding, data: bytes = BOXES) -> TracingReader:
    """Trace the boxes."""
    r = TracingReader(data, folding=folding)
    r.records("boxes", r.u1("count"), _box, each=1)
    return r


def _unfolded(
    nodes: Sequence[Node], read: Folding, most: int, bounds: tuple[int, int]
) -> list[Any]:
    """Return nodes as plain values, with what is folded in them, *most* of a run at a time."""
    found = list[Any]()
    for node in nodes:
        if not node.more:
            below = _unfolded(node.children, read, most, bounds)
            found.append((node.name, node.start, node.end, node.value, below))
            continue
        (number,) = (at for at, each in enumerate(read.runs) if each is node)
        for skip in range(0, node.more, most):
            window = Window(number, skip, min(most, node.more - skip))
            inner = Folding(*bounds, windows=[*read.windows, window])
            _boxes(inner)
            assert inner.shown is not None
            assert len(inner.shown[1]) == window.size
            found += _unfolded(inner.shown[1], inner, most, bounds)
    return found


@pytest.mark.parametrize("siblings", [1, 3, 7, 100])
@pytest.mark.parametrize("nodes", [0, 5, 17, 1000])
@pytest.mark.parametrize("most", [1, 2, 5, 100])
def test_windows_show_what_is_folded(siblings: int, nodes: int, most: int) -> None:
    """The windows of all runs, and of the runs inside these, are the tree without folds."""
    bounds = siblings, nodes
    folding, whole = Folding(*bounds), Folding.none()
    found = _unfolded(_boxes(folding).root.children, folding, most, bounds)
    assert found == _unfolded(_boxes(whole).root.children, whole, most, bounds)
    assert bool(folding.runs) == (siblings < 12 or nodes < 1000)


def test_a_tree_with_a_window_stays_small() -> None:
    """A window adds its nodes to a tree; the others of the run stay folded around them."""
    folding = Folding(10, windows=[Window(0, 20, 3)])
    top = _boxes(folding, bytes([100, *bytes(100)])).root.children
    assert [(each.name, each.more) for each in top[9:]] == [
        ("boxes[8]", 0),
        ("boxes[9]…", 20),
        ("boxes[29]", 0),
        ("boxes[30]", 0),
        ("boxes[31]", 0),
        ("boxes[32]…", 68),
    ]
    assert folding.shown is not None
    assert folding.shown[1] == top[11:14]


def test_a_window_has_nodes_of_its_own() -> None:
    """Where a read has no more nodes, a window brings 20,000, and folds what is past these."""
    folding = Folding(nodes=1, windows=[Window(0, 0, 200)])
    _boxes(folding, bytes([200, *([250, *range(250)] * 200)]))
    assert folding.shown is not None
    boxes = folding.shown[1]
    assert [len(each.children) for each in boxes[:39]] == [251] * 39
    items = (20_000 - 39 * 502 - 2) // 2  # of the box in which the nodes end
    assert [each.more for each in boxes[39].children] == [0] * (1 + items) + [250 - items]
    assert [[each.more for each in box.children] for box in boxes[40:]] == [[251]] * 160


@pytest.mark.parametrize("window", [Window(0, 500, 1), Window(9, 0, 1)])
def test_a_window_that_is_not_there_shows_nothing(window: Window) -> None:
    """A window past the end of a run, or into a run that does not exist, shows nothing."""
    folding = Folding(3, windows=[window])
    plain = Folding(3)
    assert _boxes(folding).root == _boxes(plain).root
    assert folding.shown is None
