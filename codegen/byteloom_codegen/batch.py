"""Many specs as one job: each is processed independently, and all mistakes are reported.

The rules:

- Output is made for a spec if it and all it imports are right, whatever is wrong with others.
- A folder means all specs in it and below; absolute imports are looked up in it as well.
- All modules of a job are in one folder, so no two files may have the same id.
"""

from __future__ import annotations

import codecs
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from byteloom_codegen.errors import GenerateError, SpecError, SpecErrors, SpecWarning, nearest
from byteloom_codegen.frontend.meta import CANONICAL
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.yaml_tree import parse
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.names import module_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom_codegen.model import Location, Spec

__all__ = ["Batch", "hiding", "load_batch", "undecodable"]

_HIDDEN: Final = {
    "byteloom": "the runtime",
    "kaitaistruct": "the official runtime",
    "numba": "the runtime",
    "numpy": "the runtime",
    "pyarrow": "the runtime",
}
"""Modules that generated ones need, beside those of Python itself, and whose they are."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What was read.

    specs     the specs that are right, each followed by what it imports, each once
    errors    the mistakes of the others, each once, in the order of the files
    warnings  what is legal but better said otherwise, each once
    """

    specs: list[Spec] = field(default_factory=list)
    errors: list[SpecError] = field(default_factory=list)
    warnings: list[SpecWarning] = field(default_factory=list)

    def raise_if_any(self) -> None:
        """Raise all mistakes together."""
        if self.errors:
            raise SpecErrors(tuple(self.errors), tuple(self.warnings))


def load_batch(
    paths: Iterable[Path], include_dirs: Sequence[Path] = (), *, opaque_types: bool = False
) -> Batch:
    """Return the specs that *paths* (files, or folders of them) name.

    include_dirs  folders in which absolute imports are looked up, before those of ``KSPATH``
    opaque_types  unknown types are classes written elsewhere
    errors        GenerateError: a folder without specs
    """
    errors, warnings = dict[str, SpecError](), dict[str, SpecWarning]()
    right: list[list[Spec]] = []
    for path, folders in _files(paths):
        try:
            spec = load_spec(
                path, include_dirs=[*include_dirs, *folders], opaque_types=opaque_types
            )
        except SpecErrors as error:
            errors |= {str(each): each for each in error.errors}
            warnings |= {str(each): each for each in error.warnings}
        else:
            warnings |= {str(each): each for each in spec.warnings}
            right.append(list(spec.with_imports()))
    clashes = _clashes(each for specs in right for each in specs)
    errors |= {str(each): each for each in clashes.values()}
    unique = [specs for specs in right if not any(each.name in clashes for each in specs)]
    named: dict[str, Spec] = {}
    for each in (each for specs in unique for each in specs):
        named.setdefault(each.name, each)
    return Batch(list(named.values()), list(errors.values()), list(warnings.values()))


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path, list[Path]]]:
    """Yield every file, with the folder that it was found in."""
    for path in paths:
        if not path.is_dir():
            yield path, []
            continue
        found = sorted(path.rglob("*.ksy"))
        if not found:
            raise GenerateError(f"{path}: found no .ksy file in it")
        for each in found:
            yield each, [path]


def _clashes(specs: Iterable[Spec]) -> dict[str, SpecError]:
    """Return a mistake for every id that two files have."""
    homes: dict[str, Spec] = {}
    clashes: dict[str, SpecError] = {}
    for spec in specs:
        known = homes.setdefault(spec.name, spec)
        if Path(known.file).resolve() != Path(spec.file).resolve():
            both = f"'{spec.name}' is the id of {known.file} too"
            both += f": both would be {module_name(spec.name)}.py"
            clashes[spec.name] = SpecError(_id_of(spec), both, "give each a folder of its own")
    return clashes


def hiding(specs: Iterable[Spec]) -> list[SpecWarning]:
    """Return a warning for every spec whose module hides another that programs import."""
    return [
        SpecWarning(
            _id_of(spec),
            f"{spec.name}.py hides the module {spec.name} of {_HIDDEN.get(spec.name, 'Python')} "
            "from whoever has its folder on the path",
            "import it as a part of a package, or give it another id",
        )
        for spec in specs
        if spec.name in sys.stdlib_module_names or spec.name in _HIDDEN
    ]


def undecodable(warnings: Iterable[SpecWarning]) -> list[SpecError]:
    """Return a mistake for every encoding in *warnings* that Python does not know either."""
    return [
        SpecError(each.location, f"unknown encoding '{each.encoding}'", _meant(each.encoding))
        for each in warnings
        if each.encoding and not _decodes(each.encoding)
    ]


def _decodes(encoding: str) -> bool:
    """Whether Python has a codec of this name that makes text of bytes."""
    try:
        codecs.lookup(encoding)
        b"".decode(encoding)
    except (LookupError, ValueError):
        return False
    return True


def _meant(encoding: str) -> str:
    names = {name.upper(): name for name in CANONICAL}
    found = nearest(encoding.upper(), names)
    return f"did you mean `{names[found]}`?" if found else "wanted one that Python knows"


def _id_of(spec: Spec) -> Location:
    """Return where a spec says its id."""
    place = Place(*parse(Path(spec.file).read_text(encoding="utf-8-sig"), spec.file))
    meta = place.get("meta")
    found = meta and meta.get("id")
    return found.location if found else place.location
