"""``python records.py MODULES CASES OUT``: what official parsers make of single records, as JSON.

CASES is a list of [module, class path, arguments, hex], where bytes among the arguments are an
object with their hex; OUT has for each the record as plain data (a map with bytes as hex), or the
text of its error.  A process that reads official modules imports nothing of ours.
"""

from __future__ import annotations

import importlib
import json
import sys
from enum import Enum
from functools import reduce
from pathlib import Path
from typing import Any

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct


def plain(value: Any) -> Any:
    """Return *value* as data that JSON has: records as maps of all they know."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, KaitaiStruct):
        known = {**calculated(value), **vars(value)}
        return {name: plain(each) for name, each in known.items() if not name.startswith("_")}
    return value


def calculated(record: KaitaiStruct) -> dict[str, Any]:
    """Return what a record works out when it is asked for it, without further records."""
    found = {}
    for name in (name for name, each in vars(type(record)).items() if isinstance(each, property)):
        try:
            value = getattr(record, name)
        except Exception:  # noqa: BLE001, S112  (an instance elsewhere, which these bytes lack)
            continue
        if not isinstance(value, KaitaiStruct | list):
            found[name] = value
    return found


def outcome(module: str, classes: list[str], arguments: list[Any], raw: bytes) -> Any:
    """Return what the parser makes of *raw*."""
    record = reduce(getattr, classes, importlib.import_module(module))
    arguments = [bytes.fromhex(each["hex"]) if type(each) is dict else each for each in arguments]
    try:
        return plain(record(*arguments, KaitaiStream(BytesIO(raw))))  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a refusal)
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    modules, cases, out = sys.argv[1:]
    sys.path.insert(0, modules)
    found = [
        outcome(module, classes, arguments, bytes.fromhex(raw))
        for module, classes, arguments, raw in json.loads(Path(cases).read_text())
    ]
    Path(out).write_text(json.dumps(found))
