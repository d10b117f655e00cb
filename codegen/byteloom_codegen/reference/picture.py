"""A record's bytes as a drawing: boxes in file order, in SVG.

- A box is as wide as its bytes up to a limit, or as its words ask for; a line of boxes is as long
  as a page is wide, then a new one begins.
- A broken right edge: the file decides how wide the box is.  A dashed outline: the field may be
  absent.  A second outline below it: the field is repeated.
- Above a box is the offset of its first byte, and a mark at each further one: a ruler of bytes.
- Bits are in flatter boxes in the order in which they are stored, below their byte and their
  numbers in it, of which 7 is the highest: ``0: 6-4``.

Colours follow the page in HTML, and the reader's light or dark setting where the drawing is a file
of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from byteloom_codegen.marks import GENERATOR
from byteloom_codegen.model import BitsType, base_of
from byteloom_codegen.reference.places import Place, bits_of, places, size_in_short
from byteloom_codegen.reference.prose import plain
from byteloom_codegen.reference.wording import in_short

if TYPE_CHECKING:
    from byteloom_codegen.model import TypeSpec

__all__ = ["STYLE", "picture"]

PAGE: Final = 760
BYTE: Final = 22
WIDEST: Final = 16 * BYTE
CHAR: Final = 7.3
SMALL: Final = 6.1
HIGH: Final = 50
LINE: Final = 84
_MARKED: Final = 16
"""The most bytes of a box that has marks between them."""

LONGEST: Final = 30
"""The most letters of a word; longer ones are cut."""

STYLE: Final = """\
.bytes{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.bytes .box{fill:var(--box,#eef3fa);stroke:var(--edge,#47658c);stroke-width:1.2}
.bytes .bits{fill:var(--bits,#f8f1e3)}
.bytes .maybe{stroke-dasharray:4 3}
.bytes .mark{fill:none;stroke:var(--edge,#47658c);stroke-width:.8}
.bytes .name{fill:var(--ink,#16202c);font-size:12px;font-weight:600}
.bytes .form{fill:var(--soft,#55636f);font-size:10px}
.bytes .at{fill:var(--soft,#55636f);font-size:10px}
"""

_DARK: Final = """\
@media (prefers-color-scheme:dark){
svg{--box:#1d2836;--bits:#2d271b;--edge:#7f9fc6;--ink:#e6ebf0;--soft:#a3afba}
}
"""


@dataclass(frozen=True, slots=True)
class _Box:
    place: Place
    name: str
    form: str
    size: str
    width: float

    @property
    def is_open(self) -> bool:
        return self.place.width is None and self.place.run is None


def picture(spec: TypeSpec, *, alone: bool) -> str:
    """Return the drawing of *spec*, "" if it has no fields; *alone* makes it a file by itself."""
    boxes = [_box(place) for place in places(spec)]
    if not boxes:
        return ""
    drawn, x, line = [], 1.0, 0
    for box in boxes:
        if x > 1 and x + box.width > PAGE:
            x, line = 1.0, line + 1
        drawn.append(_draw(box, x, 16 + line * LINE))
        x += box.width
    wide = PAGE + 8 if line else x + 8
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bytes" role="img" width="{_n(wide)}" '
        f'height="{(line + 1) * LINE}" viewBox="0 0 {_n(wide)} {(line + 1) * LINE}" '
        f'aria-label="{escape(_label(spec, boxes))}">'
    )
    style = f"<style>\n{STYLE}{_DARK}</style>\n" if alone else ""
    mark = f"<!-- Written by {GENERATOR}; do not edit. -->\n" if alone else ""
    return f"{mark}{head}\n{style}" + "\n".join(drawn) + "\n</svg>\n"


def _label(spec: TypeSpec, boxes: list[_Box]) -> str:
    return f"The bytes of {spec.name}: {', then '.join(box.name for box in boxes)}"


def _box(place: Place) -> _Box:
    form = _cut(in_short(place.field.type))
    size = _cut(_size(place))
    name = _cut(place.field.name)
    small = max(map(len, (form, size, _at(place))))
    letters = max(len(name) * CHAR, small * SMALL) + 16
    bits = bits_of(place.field) if place.run is not None else None
    natural = BYTE * (place.width if place.width is not None else (bits or 0) / 8)
    return _Box(place, name, form, size, max(letters, min(natural, WIDEST), 2 * BYTE))


def _size(place: Place) -> str:
    words = plain(size_in_short(place.field))
    if place.run is not None or not words:
        return words or ("" if place.width is None else _bytes(str(place.width)))
    return _bytes(words if place.width is None else str(place.width))


def _bytes(number: str) -> str:
    if number.startswith(("to ", "up ")) or number.endswith(" each"):
        return number
    return f"{number} byte" if number == "1" else f"{number} bytes"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _draw(box: _Box, x: float, y: float) -> str:
    field = box.place.field
    bits = box.place.run is not None
    top, high = (y + 12, HIGH - 12) if bits else (y, HIGH)
    classes = "box" + " bits" * bits + " maybe" * (field.condition is not None)
    edges = [_edge(x, top, box.width, high, is_open=box.is_open)]
    if field.repeat is not None:
        edges.insert(0, _edge(x + 3, top + 4, box.width - 3, high, is_open=box.is_open))
    middle = _n(x + box.width / 2)
    words = [("name", box.name), ("form", box.form), ("form", box.size)][: 2 if bits else 3]
    return "".join(
        [
            f"<g><title>{escape(field.name)}: {escape(in_short(field.type))}</title>",
            *(f'<path class="{classes}" d="{edge}"/>' for edge in edges),
            _ruler(box, x, top),
            *(
                f'<text class="{kind}" x="{middle}" y="{_n(top + 17 + 13 * number)}" '
                f'text-anchor="middle">{escape(text)}</text>'
                for number, (kind, text) in enumerate(words)
            ),
            f'<text class="at" x="{_n(x + 2)}" y="{_n(top - 4)}">{_at(box.place)}</text></g>',
        ]
    )


def _at(place: Place) -> str:
    """Return the text above a box: its first byte, or the numbers of its first and last bit."""
    if place.run is None:
        return "" if place.at is None else str(place.at)
    bits = bits_of(place.field)
    base = base_of(place.field.type)
    if place.at is None or not bits or not isinstance(base, BitsType):
        return ""
    start = 8 * place.at + (place.bit or 0)
    (first, one), (last, other) = (_numbered(each, base) for each in (start, start + bits - 1))
    if (first, one) == (last, other):
        return f"{first}: {one}"
    return f"{first}: {one}-{other}" if first == last else f"{first}: {one} - {last}: {other}"


def _numbered(bit: int, type_: BitsType) -> tuple[int, int]:
    """Return the byte of a bit, and its number there; *bit* counts in the order of storage."""
    return bit // 8, bit % 8 if type_.endian == "le" else 7 - bit % 8


def _ruler(box: _Box, x: float, y: float) -> str:
    """Return marks between the bytes of a box, whose upper edge is at *y*."""
    count = box.place.width or 0
    if box.place.run is not None or not 1 < count <= _MARKED:
        return ""
    step = box.width / count
    marks = "".join(f"M{_n(x + step * each)} {_n(y)} v5 " for each in range(1, count))
    return f'<path class="mark" d="{marks.strip()}"/>'


def _edge(x: float, y: float, wide: float, high: float, *, is_open: bool) -> str:
    step = _n(high / 4)
    right = f"l-5 {step} l5 {step} l-5 {step} l5 {step}" if is_open else f"v{_n(high)}"
    return f"M{_n(x)} {_n(y)} h{_n(wide)} {right} h{_n(-wide)} Z"
