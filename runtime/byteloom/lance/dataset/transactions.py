"""What a version of a Lance dataset changed, in the words of its transaction file.

A change made on an older version is compatible if the fields and fragments that it relies on are
the same in the newest one.

Source: https://lance.org/format/table/transaction/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom_generated.lance.table import DataFragment
from byteloom_generated.lance.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from byteloom_generated.lance.file import Field
    from byteloom_generated.lance.table import Manifest

__all__ = [
    "added_columns",
    "added_rows",
    "deleted_rows",
    "dropped_columns",
    "replaced_rows",
    "same_messages",
]


def added_rows(fragments: Iterable[DataFragment]) -> Transaction:
    """Return the transaction of new fragments."""
    return Transaction(append=Transaction.Append(fragments=map(_new, fragments)))


def replaced_rows(manifest: Manifest, fragments: Iterable[DataFragment]) -> Transaction:
    """Return the transaction of a dataset that has these fragments alone, or is new.

    Args:
        manifest: The manifest of the version, for its schema.
    """
    operation = Transaction.Overwrite(
        fragments=map(_new, fragments),
        schema=manifest.fields,
        schema_metadata=manifest.schema_metadata,
    )
    return Transaction(overwrite=operation)


def deleted_rows(changed: Collection[int], manifest: Manifest) -> Transaction:
    """Return the transaction of deleted rows.

    Args:
        changed: Ids of the fragments that had these rows.
        manifest: The manifest of the version without these rows.
    """
    left = {each.id: each for each in manifest.fragments}
    operation = Transaction.Delete(
        updated_fragments=[left[each] for each in changed if each in left],
        deleted_fragment_ids=[each for each in changed if each not in left],
    )
    return Transaction(delete=operation)


def added_columns(manifest: Manifest, fields: Iterable[Field]) -> Transaction:
    """Return the transaction of new columns, which *manifest* already has.

    Args:
        fields: The fields of these columns, in pre-order.
    """
    operation = Transaction.Merge(
        fragments=manifest.fragments,
        schema=manifest.fields,
        schema_metadata=manifest.schema_metadata,
        preserves_nullability=all(each.nullable for each in fields if each.parent_id < 0),
    )
    return Transaction(merge=operation)


def dropped_columns(manifest: Manifest) -> Transaction:
    """Return the transaction of dropped columns, without which *manifest* already is."""
    return Transaction(
        project=Transaction.Project(schema=manifest.fields, preserves_nullability=True)
    )


def _new(fragment: DataFragment) -> DataFragment:
    """Return a new fragment without ids, its own and those of rows."""
    return DataFragment(files=fragment.files, physical_rows=fragment.physical_rows)


def same_messages(first: Iterable[Any], second: Iterable[Any]) -> bool:
    """Return whether fields, or fragments, of two manifests say the same.

    A writer may leave out a number that is 0, such as the id of the first field, as pylance does.
    """
    return [*map(_content, first)] == [*map(_content, second)]


def _content(message: Any) -> list[Any]:
    """Return the values of a message's fields; None for a message in it that is not there."""
    found: list[Any] = []
    for each in message.DESCRIPTOR.fields:
        value = getattr(message, each.name)
        if each.message_type is None:
            found.append(value)
        elif each.message_type.GetOptions().map_entry:
            found.append(dict(value))
        elif hasattr(value, "append"):
            found.append([*map(_content, value)])
        else:
            found.append(_content(value) if message.HasField(each.name) else None)
    return found
