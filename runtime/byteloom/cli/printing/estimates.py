"""Estimated distinct values of columns, as `puffin ndv` and `spark ndv` print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from byteloom.cli.printing.rows import Form, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.puffin.theta import ThetaSketch

__all__ = ["Estimate", "estimate_of", "show_estimates"]


class Estimate(NamedTuple):
    """The distinct values of one column, with the bounds of the estimate."""

    column: str
    field_id: int
    ndv: int
    lower_bound: float
    upper_bound: float


def estimate_of(column: str, field_id: int, count: int, sketch: ThetaSketch) -> Estimate:
    """Return the line of a column, whose sketch estimates *count*."""
    return Estimate(column, field_id, count, sketch.lower_bound(), sketch.upper_bound())


def show_estimates(found: Iterable[Estimate], *, json: bool) -> None:
    """Print a line for each column, as JSON or below a heading."""
    lines = list(found)
    if not json:  # bounds of a number of values are shown as whole numbers
        lines = [_rounded(each) for each in lines]
    columns = [list(each) for each in zip(*lines, strict=True)]
    show([columns], list(Estimate._fields), Form.JSON if json else Form.TABLE)


def _rounded(found: Estimate) -> Estimate:
    """Return an estimate whose bounds are whole numbers."""
    low, high = round(found.lower_bound), round(found.upper_bound)
    return found._replace(lower_bound=low, upper_bound=high)
