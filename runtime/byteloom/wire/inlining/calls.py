"""Code that replaces calls of a reader's methods: it does their work on sound bytes.

Every function prints the lines that come before the value, and returns the value as an expression.
`_data`, `_at` and `_end` are the buffer, the position and the end of the window.  What is taken
from after the end is noticed at the end of the record: nothing is returned before.
"""

from __future__ import annotations

import ast
from functools import cache
from struct import Struct, calcsize
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.bits import Bits
from byteloom.wire.forms import forms
from byteloom.wire.inlining.trees import literal, method_of
from byteloom.wire.stored import exactly_decoded
from byteloom.wire.varints import ONE_BYTE

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.inlining.statements import Statements

__all__ = ["ADVANCES", "CALLS", "FORMS", "GIVE_UP"]

GIVE_UP: Final = "raise _GiveUp"

FORMS: Final = {
    f"{sign}{size}{order}": f"{mark}{letter}"
    for order, mark in (("le", "<"), ("be", ">"))
    for sign, letters in (("u", "HIQ"), ("s", "hiq"))
    for size, letter in zip((2, 4, 8), letters, strict=True)
} | {"f4le": "<f", "f4be": ">f", "f8le": "<d", "f8be": ">d", "s1": "<b"}
"""How `struct` calls the numbers that a method of a reader takes."""


@cache
def _unpacking(form: str) -> Callable[..., Any]:
    return Struct(form).unpack_from


def _u1(to: Statements, _call: ast.Call) -> str:
    to.lines.local()
    to.lines.move("_at + 1", later=True)
    return "_data[_at]"


def _bound(to: Statements, form: str) -> str:
    """Return a global name for the function that unpacks *form*, a format of `struct`."""
    return to.bound(f"_{form[1:]}_{'le' if form[0] == '<' else 'be'}", _unpacking(form))


def _number(form: str) -> Callable[[Statements, ast.Call], str]:
    def inlined(to: Statements, _call: ast.Call) -> str:
        unpack = _bound(to, form)
        to.lines.local()
        value = f"{unpack}(_data, _at)[0]"
        if form[1] == "f":
            found = to.lines.name()
            to.lines.put(f"{found} = {value}")
            with to.lines.inside(f"if {found} != {found}:"):
                bits = _bound(to, form[0] + "I")
                to.lines.put(f"{found} = _nan_of({found}, {bits}(_data, _at)[0])")
            value = found
        to.lines.move(f"_at + {calcsize(form)}", later=True)
        return value

    return inlined


def _varint(form: str) -> Callable[[Statements, ast.Call], str]:
    def inlined(to: Statements, _call: ast.Call) -> str:
        to.lines.local()
        value = to.lines.name()
        to.lines.put(f"{value} = _data[_at]")
        with to.lines.inside(f"if {value} < {ONE_BYTE[form]}:"):
            to.lines.move("_at + 1")
        with to.lines.inside("else:"):
            last = to.lines.name()
            to.lines.put(f"{value}, {last} = _taken({form!r}, _data, _at, _end)")
            to.lines.move(last)
        return value

    return inlined


def _run(to: Statements, call: ast.Call) -> str:
    found = to.constant(call.args[1], Struct)
    if found is None:
        return to.called(call)
    name, layout = found
    to.lines.local()
    value = f"{to.bound(f'{name}_from', layout.unpack_from)}(_data, _at)"
    floats = [at for at, each in enumerate(forms(layout)) if each[1] == "f"]
    if floats:
        values = to.lines.name()
        to.lines.put(f"{values} = {value}")
        with to.lines.inside(f"if _isnan(_sum({values})):"):
            to.lines.put(f"{values} = _exact({values}, {layout.format!r}, _data, _at)")
        value = values
    to.lines.move(f"_at + {layout.size}", later=True)
    return value


def _run_mixed(to: Statements, call: ast.Call) -> str:
    found = to.constant(call.args[1], Struct)
    if found is None:
        return to.called(call)
    name, layout = found
    to.lines.local()
    to.lines.move(f"_at + {layout.size}", later=True)
    return f"{to.bound(f'{name}_from', layout.unpack_from)}(_data, _at)"


def _bit_run(to: Statements, call: ast.Call) -> str:
    found = to.constant(call.args[1], Bits)
    if found is None:
        return to.called(call)
    layout = found[1]
    to.lines.local()
    to.lines.move(f"_at + {layout.size}", later=True)
    if layout.size == 1:
        return "_data[_at]"
    return f"_from_bytes(_data[_at : _at + {layout.size}], {layout.order!r})"


def _bytes(to: Statements, call: ast.Call) -> str:
    size = call.args[1]
    to.lines.local()
    number = literal(size, int)
    if number is not None:
        to.lines.move(f"_at + {number}", later=True)
        return f"_data[_at : _at + {number}]"
    last = _last(to, to.value(size))
    to.lines.move(last, later=True)
    return f"_data[_at:{last}]"


def _last(to: Statements, size: str) -> str:
    """Print a check that *size* bytes are left; return the name of the place where they end."""
    last = to.lines.name()
    to.lines.put(f"{last} = _at + ({size})")
    with to.lines.inside(f"if not _at <= {last} <= _end:"):
        to.lines.put(GIVE_UP)
    return last


def _rest(to: Statements, _call: ast.Call) -> str:
    to.lines.local()
    with to.lines.inside("if _at > _end:"):
        to.lines.put(GIVE_UP)
    to.lines.move("_end", later=True)
    return "_data[_at:_end]"


def _until(to: Statements, call: ast.Call) -> str:
    ends = literal(call.args[1], bytes)
    if call.keywords or ends is None or len(ends) != 1:
        return to.called(call)
    to.lines.local()
    found = to.lines.name()
    to.lines.put(f"{found} = _data.find({ends!r}, _at, _end)")
    with to.lines.inside(f"if {found} < 0:"):
        to.lines.put(GIVE_UP)
    to.lines.move(f"{found} + 1", later=True)
    return f"_data[_at:{found}]"


def _cut(to: Statements, call: ast.Call) -> str:
    """Print code that cuts the bytes out as a reader does."""
    size, ends = call.args[1], {each.arg: to.plain(each.value) for each in call.keywords}
    whole = isinstance(size, ast.Constant) and size.value is None
    taken = _rest(to, call) if whole else _bytes(to, call)
    wanted = "None" if whole else to.plain(size)
    terminator, pad = ends.get("terminator", "b''"), ends.get("pad", "None")
    include = ends.get("include", "False")
    return f"_cut_or_stored({taken}, {wanted}, {terminator}, {pad}, include={include})"


def _text(to: Statements, call: ast.Call) -> str:
    encoding = call.args[2]
    taken, plain = call.args[1], False
    if isinstance(taken, ast.Call) and method_of(taken) in {"bytes", "rest", "until"}:
        plain = all(each.arg != "eos_error" for each in taken.keywords)
    raw = to.value(call.args[1])
    name = literal(encoding, str)
    if plain and name is not None and exactly_decoded(name):
        return f"{raw}.decode({name.lower()!r})"
    return f"_text_of({raw}, {to.plain(encoding)})"


def _array(to: Statements, call: ast.Call) -> str:
    count, form = literal(call.args[1], int), literal(call.args[2], str)
    if form is None or form[1] == "f":
        return to.called(call)
    to.lines.local()
    order, letter, size = form[0], form[1], calcsize(form)
    if count is not None:
        to.lines.move(f"_at + {count * size}", later=True)
        if letter == "B":
            return f"_list(_data[_at : _at + {count}])"
        return f"_list({_bound(to, f'{order}{count}{letter}')}(_data, _at))"
    number = to.lines.name()
    to.lines.put(f"{number} = {to.value(call.args[1])}")
    last = _last(to, f"{number} * {size}")
    with to.lines.inside(f"if {number} > r.limits.elements:"):
        to.lines.put(GIVE_UP)
    to.lines.move(last, later=True)
    if letter == "B":
        return f"_list(_data[_at:{last}])"
    return f"_list(_unpack(f'{order}{{{number}}}{letter}', _data[_at:{last}]))"


def _align(to: Statements, call: ast.Call) -> str:
    return to.called(call) if to.methods.has_bits else "0"


def _magic(to: Statements, call: ast.Call) -> str:
    wanted = literal(call.args[1], bytes)
    if wanted is None:
        return to.called(call)
    to.lines.local()
    with to.lines.inside(f"if _data[_at : _at + {len(wanted)}] != {wanted!r}:"):
        to.lines.put(GIVE_UP)
    to.lines.move(f"_at + {len(wanted)}")
    return "None"


# Records


def _record(to: Statements, call: ast.Call) -> str:
    read = to.read_of(call.args[1])
    if read is None:
        return to.called(call)
    given = to.given(call, 2)
    to.lines.shared()
    to.lines.put("_spent.objects += 1")
    value = to.lines.name()
    to.lines.put(f"{value} = {read}({given})")
    to.lines.moved()
    return value


def _within(to: Statements, call: ast.Call) -> str:
    read = to.read_of(call.args[2])
    if read is None:
        return to.called(call)
    given = to.given(call, 3)
    to.lines.local()
    last = _last(to, to.value(call.args[1]))
    start, value = to.lines.name(), to.lines.name()
    to.lines.put(f"{start} = r._start")
    to.lines.put("r._start = r._at = _at")
    to.lines.put(f"r._end = {last}")
    to.lines.put("_spent.objects += 1")
    to.lines.put(f"{value} = {read}({given})")
    left = " or r._bits_left" if to.methods.has_bits else ""
    with to.lines.inside(f"if r._at != {last}{left} or type(_data) is _Stored:"):
        to.lines.put(f"r._keep_left({value}, _at, {last})")
    to.lines.put(f"r._start = {start}")
    to.lines.put("r._end = _end")
    if to.methods.has_bits:
        to.lines.put("r._bits = r._bits_left = 0")
    to.lines.move(last)
    return value


def _records(to: Statements, call: ast.Call) -> str:
    given = {each.arg: each.value for each in call.keywords}
    read, each = to.read_of(call.args[2]), to.least(given["each"])
    if read is None or not each:
        return to.called(call)
    handed = to.handed(call.args[2])
    taken, many = _into(to, given.get("into")), call.args[1]
    if literal(many, int) is not None:
        number = ast.unparse(many)
    else:
        to.lines.local()
        number = to.lines.name()
        to.lines.put(f"{number} = {to.value(many)}")
        too_many = f"{number} * {each} > _end - _at or {number} > r.limits.elements"
        with to.lines.inside(f"if {number} < 0 or {too_many}:"):
            to.lines.put(GIVE_UP)
    to.lines.shared()
    to.lines.put(f"_spent.objects += {number}")
    with to.lines.inside(f"for _ in _range({number}):"):
        to.lines.put(f"{taken}.append({read}({handed}))")
    to.lines.moved()
    return taken


def _records_to_end(to: Statements, call: ast.Call) -> str:
    read, least = to.read_of(call.args[1]), to.least_of(call.args[1])
    if read is None or not least or to.methods.has_bits:
        return to.called(call)
    handed = to.handed(call.args[1])
    taken = _into(to, call.args[2] if len(call.args) > 2 else None)  # noqa: PLR2004  (`into`)
    to.lines.shared()
    with to.lines.inside("while r._at < _end:"):
        to.lines.put(f"{taken}.append({read}({handed}))")
    to.lines.put(f"_spent.objects += _len({taken})")
    to.lines.moved()
    return taken


def _into(to: Statements, into: ast.expr | None) -> str:
    if into is not None:
        return to.plain(into)
    taken = to.lines.name()
    to.lines.put(f"{taken} = []")
    return taken


def _another(to: Statements, call: ast.Call) -> str:
    read = to.read_of(call.args[2])
    if read is None:
        return to.called(call)
    to.lines.shared()
    to.lines.put("_spent.objects += 1")
    value = to.lines.name()
    to.lines.put(f"{value} = {read}({to.handed(call.args[2])})")
    to.lines.put(f"{to.plain(call.args[1])}.append({value})")
    to.lines.moved()
    return value


CALLS: Final[dict[str, Callable[[Statements, Any], str]]] = {
    "u1": _u1,
    **{name: _number(form) for name, form in FORMS.items()},
    **{form: _varint(form) for form in ONE_BYTE},
    "run": _run,
    "run_floats": _run,
    "run_mixed": _run_mixed,
    "bit_run": _bit_run,
    "bytes": _bytes,
    "rest": _rest,
    "until": _until,
    "cut": _cut,
    "text": _text,
    "array": _array,
    "magic": _magic,
    "align": _align,
    "record": _record,
    "within": _within,
    "records": _records,
    "records_to_end": _records_to_end,
    "another": _another,
}
"""For each method of a reader, the function that prints the code in place of a call of it."""

ADVANCES: Final = frozenset({*CALLS} - {"text", "align"})
"""The methods that move the reader's position."""
