"""A field whose spec names an encoding that Python does not know is refused, with the reason.

Calculations and columns have no public function for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom.columns.views import text_array
from byteloom.errors import Unsupported
from byteloom.wire import Reader, Writer, calc

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "use",
    [
        lambda: Reader(b"ab").text("name", b"", "UFT-8"),
        lambda: Writer().encoded("name", "ab", "UFT-8"),
        lambda: calc.decoded(b"ab", "UFT-8"),
        lambda: calc.encoded("ab", "UFT-8"),
        lambda: text_array(pa.array([b"ab"], pa.binary_view()), "UFT-8"),
    ],
    ids=["read", "written", "decoded", "encoded", "column"],
)
def test_an_unknown_encoding_is_not_blamed_on_the_bytes(use: Callable[[], object]) -> None:
    """Reading, writing and columns name the encoding; the bytes are not called damaged."""
    wanted = "found the encoding 'UFT-8', wanted an encoding that Python knows, in the spec"
    with pytest.raises(Unsupported, match=wanted):
        use()
