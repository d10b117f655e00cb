"""Which lines of a spec describe a field: what an explorer shows beside the field's bytes.

The document has, for each class that a spec becomes, the lines of each of its fields::

    {"generator": "byteloom-codegen", "spec": "specs/puffin/puffin.ksy",
     "classes": {"FooterTail": {"len_payload": [70, "- id: len_payload ..."]}}}
"""

from __future__ import annotations

import json
from itertools import takewhile
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from byteloom_codegen.marks import GENERATOR
from byteloom_codegen.python.names import ClassNames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.model import Spec

__all__ = ["spec_lines", "spec_lines_text"]


def spec_lines(spec: Spec, name: str) -> dict[str, Any]:
    """Return the document of *spec*, whose file is known to readers as *name*."""
    lines = Path(spec.file).read_text(encoding="utf-8").splitlines()
    names = ClassNames(spec)
    classes = {
        names.of(each): {
            member.name: [member.location.line, _item(lines, member.location.line - 1)]
            for member in (*each.params, *each.seq, *each.instances)
        }
        for each in spec.top.walk()
    }
    return {"generator": GENERATOR, "spec": name, "classes": classes}


def spec_lines_text(spec: Spec, name: str) -> str:
    """Return the same as the text of a JSON file."""
    document = spec_lines(spec, name)
    classes = document.pop("classes")
    head = json.dumps(document)[:-1]
    return f'{head}, "classes": {json.dumps(classes, indent=1, ensure_ascii=False)}}}\n'


def _item(lines: Sequence[str], first: int) -> str:
    """Return the item of a YAML list or mapping that begins in line *first*, without its indent."""
    indent = _indent(lines[first])
    rest = takewhile(lambda line: not line.strip() or _indent(line) > indent, lines[first + 1 :])
    return dedent("\n".join([lines[first], *rest])).rstrip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
