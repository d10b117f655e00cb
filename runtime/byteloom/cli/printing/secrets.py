"""Reports and listings without secrets; ``--hex`` alone shows the bytes of a file as they are."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError, FormatError
from byteloom.late import pa, pc
from byteloom.redaction import MAY_HIDE, REDACTED, is_secret, redacted, without_secrets
from byteloom.verification.damage import Damage

if TYPE_CHECKING:
    from byteloom.cli.printing.report import Report
    from byteloom.wire import Node

__all__ = ["prepare", "without_secret_texts"]

_KEYS: Final = frozenset({"key", "name"})


def prepare(report: Report) -> None:
    """Make *report* ready to be seen: without secrets, and with the file's name in its error."""
    report.facts = without_secrets(report.facts)
    report.properties = without_secrets(report.properties)
    report.tables = without_secrets(report.tables)
    for root in (report.root, *(part.root for part in report.decoded)):
        _hide(root)
    if report.error is not None:
        report.error = _named(report.error, report.source.name)


def without_secret_texts(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a table without the secrets in its texts and maps."""
    columns = [_texts(each) for each in batch.columns]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _texts(array: pa.Array) -> pa.Array:
    """An array whose texts have no secrets; of lists and structs those inside."""
    kind = array.type
    is_list = pa.types.is_list(kind) and _is_text(kind.value_type)
    if _is_text(kind) or is_list:
        texts = array.flatten() if is_list else array
        is_safe = not pc.any(pc.match_substring_regex(texts, MAY_HIDE)).as_py()
        return array if is_safe else pa.array(without_secrets(array.to_pylist()), kind)
    if pa.types.is_map(kind) and _is_text(kind.key_type):
        pairs = [each and list(without_secrets(dict(each)).items()) for each in array.to_pylist()]
        return pa.array(pairs, kind)
    if pa.types.is_struct(kind) and array.null_count == 0 and kind.num_fields:
        parts = [_texts(pc.struct_field(array, at)) for at in range(kind.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=list(kind))
    return array


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _hide(node: Node) -> None:
    """Remove secrets from the values below *node*: from texts, and from pairs of key and value."""
    names = [_text(each.value) for each in node.children if each.name in _KEYS]
    for each in node.children:
        if each.name == "value" and any(map(is_secret, names)):
            each.value, each.children = REDACTED, []
        elif isinstance(each.value, str):
            each.value = redacted(each.value)
        elif isinstance(each.value, bytes):
            text = each.value.decode("latin-1")
            each.value = redacted(text).encode("latin-1")
        _hide(each)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _named(error: ByteloomError, file: str) -> ByteloomError:
    """Return a copy of *error* that names the file; the tree shows the original, at its place."""
    if isinstance(error, Damage):
        return Damage([_named(each, file) for each in error.errors])
    return copy(error).in_file(file) if isinstance(error, FormatError) else error
