"""Whether each version of a dataset follows from the one before it, as its transaction says.

- A transaction says what was changed: which fragments and fields are new, and which are gone.  All
  others are those of the version before.
- Where that version, or the transaction, was removed or is wrong itself, nothing is compared.

Source: https://lance.org/format/table/transaction/
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.lance.dataset.commits import TRANSACTIONS
from byteloom.lance.dataset.findings.shared_parts import outlines_of
from byteloom.lance.dataset.manifests import read_section
from byteloom.lance.dataset.versions import DETACHED
from byteloom.storage.naming import about_file
from byteloom_generated.lance.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.lance.dataset.findings.shared_parts import (
        FieldOutline,
        SharedParts,
        StoredFragment,
        Version,
    )
    from byteloom.limits import Limits
    from byteloom.storage import Folder, Source
    from byteloom_generated.lance.table import Manifest

__all__ = ["Steps", "transaction_of"]

_SECTIONS: Final = ("transaction_section", "early_transaction_section")
_WITH_FIELDS: Final = frozenset({"overwrite", "merge", "project"})
_WITH_FRAGMENTS: Final = frozenset({"append", "overwrite", "merge"})
"""Operations that have all fields of the version, and those that have fragments."""


def transaction_of(
    manifest: Manifest, source: Source, folder: Folder, names: Iterable[str], limits: Limits
) -> Transaction | None:
    """Return the transaction that made a version; None where it was not kept.

    Args:
        source: The manifest's file, which may have the transaction.
        names: The names of the files in the folder of transactions.

    Raises:
        FormatError: For damage.
    """
    for section in _SECTIONS:
        if manifest.HasField(section):
            data, at = read_section(source, manifest, section, limits)
            return Transaction.parse(data, limits=limits, origin=at, path="transaction")
    name = manifest.transaction_file
    if name not in names:
        return None
    place = f"{TRANSACTIONS}/{name}"
    with about_file(f"{folder}/{place}"):
        return Transaction.parse(folder.read(place), limits=limits, path="transaction")


@dataclass
class _Step:
    """A version, and what its transaction says of it.

    Attributes:
        fields: Its fields.
        fragments: Its fragments.
        operation: The kind of its transaction; None if that is unknown.
        stated: The fields that the transaction has; None where it has none.
        added: Fragments of the transaction that follow those of the version before.
        updated: Fragments in the place of those with the same ids.
        removed: Ids of fragments that are gone.
        base: The number of the version that was changed.
        is_sound: Whether nothing is wrong with the version.
    """

    fields: tuple[FieldOutline, ...]
    fragments: list[StoredFragment]
    base: int
    is_sound: bool
    operation: str | None = None
    stated: tuple[FieldOutline, ...] | None = None
    added: list[StoredFragment] = field(default_factory=list)
    updated: dict[int, StoredFragment] = field(default_factory=dict)
    removed: frozenset[int] = frozenset()


class Steps:
    """The versions of a dataset that are compared with each other."""

    def __init__(self, parts: SharedParts) -> None:
        """Begin without versions; *parts* are those of their manifests."""
        self._parts = parts
        self._steps: dict[int, _Step] = {}

    def add(self, version: Version, transaction: Transaction | None, *, is_sound: bool) -> None:
        """Add a version, and the transaction that made it.

        Args:
            is_sound: Whether nothing is wrong with the version.
        """
        number, parts = version.number, self._parts
        step = _Step(version.schema.outlines, version.fragments, number - 1, is_sound)
        self._steps[number] = step
        step.operation = None if transaction is None else transaction.WhichOneof("operation")
        if transaction is None or step.operation is None:
            return
        change = getattr(transaction, step.operation)
        if step.operation in _WITH_FIELDS:
            step.stated = outlines_of(change.schema)
        if step.operation in _WITH_FRAGMENTS:
            step.added = parts.fragments(change.fragments)
        if step.operation == "delete":
            step.removed = frozenset(change.deleted_fragment_ids)
        if step.operation == "update":
            step.removed = frozenset(change.removed_fragment_ids)
            step.added = parts.fragments(change.new_fragments)
        if step.operation in {"delete", "update"}:
            step.updated = {each.id: each for each in parts.fragments(change.updated_fragments)}
        if number >= DETACHED:
            step.base = transaction.read_version
        if step.operation == "restore":
            step.base = change.version

    def findings(self) -> Iterator[tuple[int, FormatError]]:
        """Yield the number of each version that does not follow from another, and why."""
        for number, step in sorted(self._steps.items()):
            if not step.is_sound or step.operation is None:
                continue
            before = self._steps.get(step.base)
            if before is not None and not before.is_sound:
                before = None
            for error in self._differences(step, before):
                step.is_sound = False
                yield number, error

    def _differences(self, step: _Step, before: _Step | None) -> Iterator[FormatError]:
        """Yield what differs from the transaction of a version, and from the version *before*."""
        by = f"by its transaction ({step.operation})"
        fields = before.fields if step.stated is None and before is not None else step.stated
        if fields is not None and fields != step.fields:
            found, wanted = Counter(step.fields), Counter(fields)
            more, less = _names(found - wanted), _names(wanted - found)
            what = more or ("another order" if not less else f"no {less}")
            yield FormatError("manifest.fields", None, what, f"{less or 'none of these'}, {by}")
        fragments = self._wanted(step, before)
        if fragments is None:
            return
        # Files that have none of the columns that are left may be gone.
        has_files = step.operation != "project"
        now, then = (
            [each.content if has_files else (each.id, each.content[1]) for each in some]
            for some in (step.fragments, fragments)
        )
        if now != then and (is_now := Counter(now)) != (must_be := Counter(then)):
            lost, others = (must_be - is_now).total(), (is_now - must_be).total()
            what = f"{lost} of {len(fragments)} fragments changed or missing, {others} others"
            yield FormatError("manifest.fragments", None, what, f"the same fragments, {by}")

    def _wanted(self, step: _Step, before: _Step | None) -> list[StoredFragment] | None:
        """The fragments that a version must have; None if that is not known."""
        if step.operation in {"overwrite", "merge"}:
            return step.added
        if before is None or step.operation == "rewrite":
            return None
        kept = before.fragments
        if step.removed or step.updated:
            kept = [step.updated.get(x.id, x) for x in kept if x.id not in step.removed]
        return [*kept, *step.added]


def _names(fields: Iterable[FieldOutline]) -> str:
    """Return the fields as text; empty if there are none."""
    some = [
        f"{number} {name} ({type_}{'' if nullable else ', not null'})"
        for number, _, name, type_, nullable in fields
    ]
    return f"fields {', '.join(some)}" if some else ""
