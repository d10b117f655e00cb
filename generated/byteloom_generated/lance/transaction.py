# Written by byteloom-codegen from specs/lance/transaction.proto; do not edit.
# To change it, edit that file and generate again.
"""What a writer changed to make a version of a Lance dataset.

Another writer that began with the same version learns from it whether both
changes are compatible, and may then repeat its own on the new version.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: https://lance.org/format/table/transaction/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.messages import File, Message

from . import file, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence

__all__ = ["FILE", "Transaction"]

FILE: Final = File("lance/transaction.proto", __name__, file.FILE, table.FILE)
"""What these classes are declared in; the end of this module has its descriptor."""


class Transaction(Message, file=FILE, name="lance.transaction.Transaction"):
    """The change from one version to the next, the content of a file in
    `_transactions/`.

         no  field         stored as
          1  read_version  uint64
          2  uuid          string
        100  append        Transaction.Append, one of operation
        101  delete        Transaction.Delete, one of operation
        102  overwrite     Transaction.Overwrite, one of operation
        105  merge         Transaction.Merge, one of operation
        109  project       Transaction.Project, one of operation
    """

    class Append(Message, file=FILE, name="lance.transaction.Transaction.Append"):
        """New rows.

        no  field      stored as
         1  fragments  repeated lance.table.DataFragment
        """

        fragments: MutableSequence[Any]
        """Without ids, which depend on the version that they are added to."""

        if TYPE_CHECKING:

            def __init__(self, *, fragments: Iterable[Any] | None = None) -> None: ...

    class Delete(Message, file=FILE, name="lance.transaction.Transaction.Delete"):
        """Deleted rows.

        no  field                 stored as
         1  updated_fragments     repeated lance.table.DataFragment
         2  deleted_fragment_ids  repeated uint64
         3  predicate             string
        """

        updated_fragments: MutableSequence[Any]
        """Fragments with a new deletion file."""

        deleted_fragment_ids: MutableSequence[int]
        """Ids of fragments that have no row left."""

        predicate: str
        """The condition that chose the rows, for people; empty if they were chosen by
        number.
        """

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                updated_fragments: Iterable[Any] | None = None,
                deleted_fragment_ids: Iterable[int] | None = None,
                predicate: str | None = None,
            ) -> None: ...

    class Overwrite(Message, file=FILE, name="lance.transaction.Transaction.Overwrite"):
        """A new dataset, or other rows and columns in the place of all.

        no  field            stored as
         1  fragments        repeated lance.table.DataFragment
         2  schema           repeated lance.file.Field
         3  schema_metadata  map of string to bytes
        """

        fragments: MutableSequence[Any]
        """Without ids."""

        schema: MutableSequence[Any]
        """The schema in pre-order."""

        schema_metadata: MutableMapping[str, bytes]
        """Metadata of the Arrow schema."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                fragments: Iterable[Any] | None = None,
                schema: Iterable[Any] | None = None,
                schema_metadata: Mapping[str, bytes] | None = None,
            ) -> None: ...

    class Merge(Message, file=FILE, name="lance.transaction.Transaction.Merge"):
        """New columns.

        no  field                  stored as
         1  fragments              repeated lance.table.DataFragment
         2  schema                 repeated lance.file.Field
         3  schema_metadata        map of string to bytes
         4  preserves_nullability  bool
        """

        fragments: MutableSequence[Any]
        """All fragments, with their new files."""

        schema: MutableSequence[Any]
        """All fields in pre-order."""

        schema_metadata: MutableMapping[str, bytes]
        """Metadata of the Arrow schema."""

        preserves_nullability: bool
        """Whether rows may be added without the new columns: these are null there."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                fragments: Iterable[Any] | None = None,
                schema: Iterable[Any] | None = None,
                schema_metadata: Mapping[str, bytes] | None = None,
                preserves_nullability: bool | None = None,
            ) -> None: ...

    class Project(Message, file=FILE, name="lance.transaction.Transaction.Project"):
        """Dropped columns.

        no  field                  stored as
         1  schema                 repeated lance.file.Field
         2  preserves_nullability  bool
        """

        schema: MutableSequence[Any]
        """The fields that are left, in pre-order."""

        preserves_nullability: bool
        """Whether each field that is left may still be null if it could be before."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                schema: Iterable[Any] | None = None,
                preserves_nullability: bool | None = None,
            ) -> None: ...

    read_version: int
    """The version that the change was made from; 0 for a new dataset."""

    uuid: str
    """Names the transaction: part of the file's name."""

    append: Transaction.Append

    delete: Transaction.Delete

    overwrite: Transaction.Overwrite

    merge: Transaction.Merge

    project: Transaction.Project

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            read_version: int | None = None,
            uuid: str | None = None,
            append: Transaction.Append | None = None,
            delete: Transaction.Delete | None = None,
            overwrite: Transaction.Overwrite | None = None,
            merge: Transaction.Merge | None = None,
            project: Transaction.Project | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x17lance/transaction.proto\x12\x11lance.transaction\x1a\x10lance/file.proto"
    b"\x1a\x11lance/table.proto\x22\xc8\x08\n\x0bTransaction\x12\x14\n\x0cread_version"
    b"\x18\x01 \x01(\x04\x12\x0c\n\x04uuid\x18\x02 \x01(\t\x127\n\x06append\x18d \x01("
    b"\x0b2%.lance.transaction.Transaction.AppendH\x00\x127\n\x06delete\x18e \x01(\x0b"
    b"2%.lance.transaction.Transaction.DeleteH\x00\x12=\n\toverwrite\x18f \x01(\x0b2(."
    b"lance.transaction.Transaction.OverwriteH\x00\x125\n\x05merge\x18i \x01(\x0b2$.la"
    b"nce.transaction.Transaction.MergeH\x00\x129\n\x07project\x18m \x01(\x0b2&.lance."
    b"transaction.Transaction.ProjectH\x00\x1a6\n\x06Append\x12,\n\tfragments\x18\x01 "
    b"\x03(\x0b2\x19.lance.table.DataFragment\x1ao\n\x06Delete\x124\n\x11updated_fragm"
    b"ents\x18\x01 \x03(\x0b2\x19.lance.table.DataFragment\x12\x1c\n\x14deleted_fragme"
    b"nt_ids\x18\x02 \x03(\x04\x12\x11\n\tpredicate\x18\x03 \x01(\t\x1a\xea\x01\n\tOve"
    b"rwrite\x12,\n\tfragments\x18\x01 \x03(\x0b2\x19.lance.table.DataFragment\x12!\n"
    b"\x06schema\x18\x02 \x03(\x0b2\x11.lance.file.Field\x12U\n\x0fschema_metadata\x18"
    b"\x03 \x03(\x0b2<.lance.transaction.Transaction.Overwrite.SchemaMetadataEntry\x1a"
    b"5\n\x13SchemaMetadataEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05value\x18"
    b"\x02 \x01(\x0c:\x028\x01\x1a\x81\x02\n\x05Merge\x12,\n\tfragments\x18\x01 \x03("
    b"\x0b2\x19.lance.table.DataFragment\x12!\n\x06schema\x18\x02 \x03(\x0b2\x11.lance"
    b".file.Field\x12Q\n\x0fschema_metadata\x18\x03 \x03(\x0b28.lance.transaction.Tran"
    b"saction.Merge.SchemaMetadataEntry\x12\x1d\n\x15preserves_nullability\x18\x04 "
    b"\x01(\x08\x1a5\n\x13SchemaMetadataEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n"
    b"\x05value\x18\x02 \x01(\x0c:\x028\x01\x1aK\n\x07Project\x12!\n\x06schema\x18\x01"
    b" \x03(\x0b2\x11.lance.file.Field\x12\x1d\n\x15preserves_nullability\x18\x02 \x01"
    b"(\x08B\x0b\n\toperationb\x08editionsp\xe8\x07"
)
