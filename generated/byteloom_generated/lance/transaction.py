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

from byteloom.documents.messages import File, Message

from . import file, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence

__all__ = ["FILE", "Transaction"]

FILE: Final = File("lance/transaction.proto", __name__, file.FILE, table.FILE)
"""What these classes are declared in; the end of this module has its descriptor."""


class Transaction(Message, file=FILE, name="lance.transaction.Transaction"):
    """The change from one version to the next, the content of a file in
    `_transactions/`.

         no  field              stored as
          1  read_version       uint64
          2  uuid               string
        100  append             Transaction.Append, one of operation
        101  delete             Transaction.Delete, one of operation
        102  overwrite          Transaction.Overwrite, one of operation
        103  create_index       Transaction.CreateIndex, one of operation
        104  rewrite            Transaction.Rewrite, one of operation
        105  merge              Transaction.Merge, one of operation
        106  restore            Transaction.Restore, one of operation
        107  reserve_fragments  Transaction.ReserveFragments, one of operation
        108  update             Transaction.Update, one of operation
        109  project            Transaction.Project, one of operation
        110  update_config      Transaction.UpdateConfig, one of operation
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

    class CreateIndex(
        Message, file=FILE, name="lance.transaction.Transaction.CreateIndex"
    ):
        """Other indices."""

        if TYPE_CHECKING:

            def __init__(self) -> None: ...

    class Rewrite(Message, file=FILE, name="lance.transaction.Transaction.Rewrite"):
        """Fragments in the place of others that have the same rows."""

        if TYPE_CHECKING:

            def __init__(self) -> None: ...

    class Restore(Message, file=FILE, name="lance.transaction.Transaction.Restore"):
        """An earlier version as the newest one.

        no  field    stored as
         1  version  uint64
        """

        version: int
        """Its number."""

        if TYPE_CHECKING:

            def __init__(self, *, version: int | None = None) -> None: ...

    class ReserveFragments(
        Message, file=FILE, name="lance.transaction.Transaction.ReserveFragments"
    ):
        """Ids of fragments that will be written."""

        if TYPE_CHECKING:

            def __init__(self) -> None: ...

    class Update(Message, file=FILE, name="lance.transaction.Transaction.Update"):
        """Changed rows.

        no  field                 stored as
         1  removed_fragment_ids  repeated uint64
         2  updated_fragments     repeated lance.table.DataFragment
         3  new_fragments         repeated lance.table.DataFragment
        """

        removed_fragment_ids: MutableSequence[int]
        """Ids of fragments that have no row left."""

        updated_fragments: MutableSequence[Any]
        """Fragments with a new deletion file, or other files."""

        new_fragments: MutableSequence[Any]
        """Without ids."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                removed_fragment_ids: Iterable[int] | None = None,
                updated_fragments: Iterable[Any] | None = None,
                new_fragments: Iterable[Any] | None = None,
            ) -> None: ...

    class UpdateConfig(
        Message, file=FILE, name="lance.transaction.Transaction.UpdateConfig"
    ):
        """Other settings, or other metadata of the schema and of fields."""

        if TYPE_CHECKING:

            def __init__(self) -> None: ...

    read_version: int
    """The version that the change was made from; 0 for a new dataset."""

    uuid: str
    """Names the transaction: part of the file's name."""

    append: Transaction.Append

    delete: Transaction.Delete

    overwrite: Transaction.Overwrite

    create_index: Transaction.CreateIndex

    rewrite: Transaction.Rewrite

    merge: Transaction.Merge

    restore: Transaction.Restore

    reserve_fragments: Transaction.ReserveFragments

    update: Transaction.Update

    project: Transaction.Project

    update_config: Transaction.UpdateConfig

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            read_version: int | None = None,
            uuid: str | None = None,
            append: Transaction.Append | None = None,
            delete: Transaction.Delete | None = None,
            overwrite: Transaction.Overwrite | None = None,
            create_index: Transaction.CreateIndex | None = None,
            rewrite: Transaction.Rewrite | None = None,
            merge: Transaction.Merge | None = None,
            restore: Transaction.Restore | None = None,
            reserve_fragments: Transaction.ReserveFragments | None = None,
            update: Transaction.Update | None = None,
            project: Transaction.Project | None = None,
            update_config: Transaction.UpdateConfig | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x17lance/transaction.proto\x12\x11lance.transaction\x1a\x10lance/file.proto"
    b"\x1a\x11lance/table.proto\x22\xba\r\n\x0bTransaction\x12\x14\n\x0cread_version"
    b"\x18\x01 \x01(\x04\x12\x0c\n\x04uuid\x18\x02 \x01(\t\x127\n\x06append\x18d \x01("
    b"\x0b2%.lance.transaction.Transaction.AppendH\x00\x127\n\x06delete\x18e \x01(\x0b"
    b"2%.lance.transaction.Transaction.DeleteH\x00\x12=\n\toverwrite\x18f \x01(\x0b2(."
    b"lance.transaction.Transaction.OverwriteH\x00\x12B\n\x0ccreate_index\x18g \x01("
    b"\x0b2*.lance.transaction.Transaction.CreateIndexH\x00\x129\n\x07rewrite\x18h "
    b"\x01(\x0b2&.lance.transaction.Transaction.RewriteH\x00\x125\n\x05merge\x18i \x01"
    b"(\x0b2$.lance.transaction.Transaction.MergeH\x00\x129\n\x07restore\x18j \x01("
    b"\x0b2&.lance.transaction.Transaction.RestoreH\x00\x12L\n\x11reserve_fragments"
    b"\x18k \x01(\x0b2/.lance.transaction.Transaction.ReserveFragmentsH\x00\x127\n\x06"
    b"update\x18l \x01(\x0b2%.lance.transaction.Transaction.UpdateH\x00\x129\n\x07proj"
    b"ect\x18m \x01(\x0b2&.lance.transaction.Transaction.ProjectH\x00\x12D\n\rupdate_c"
    b"onfig\x18n \x01(\x0b2+.lance.transaction.Transaction.UpdateConfigH\x00\x1a6\n"
    b"\x06Append\x12,\n\tfragments\x18\x01 \x03(\x0b2\x19.lance.table.DataFragment\x1a"
    b"o\n\x06Delete\x124\n\x11updated_fragments\x18\x01 \x03(\x0b2\x19.lance.table.Dat"
    b"aFragment\x12\x1c\n\x14deleted_fragment_ids\x18\x02 \x03(\x04\x12\x11\n\tpredica"
    b"te\x18\x03 \x01(\t\x1a\xea\x01\n\tOverwrite\x12,\n\tfragments\x18\x01 \x03(\x0b2"
    b"\x19.lance.table.DataFragment\x12!\n\x06schema\x18\x02 \x03(\x0b2\x11.lance.file"
    b".Field\x12U\n\x0fschema_metadata\x18\x03 \x03(\x0b2<.lance.transaction.Transacti"
    b"on.Overwrite.SchemaMetadataEntry\x1a5\n\x13SchemaMetadataEntry\x12\x0b\n\x03key"
    b"\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\x0c:\x028\x01\x1a\x81\x02\n\x05M"
    b"erge\x12,\n\tfragments\x18\x01 \x03(\x0b2\x19.lance.table.DataFragment\x12!\n"
    b"\x06schema\x18\x02 \x03(\x0b2\x11.lance.file.Field\x12Q\n\x0fschema_metadata\x18"
    b"\x03 \x03(\x0b28.lance.transaction.Transaction.Merge.SchemaMetadataEntry\x12\x1d"
    b"\n\x15preserves_nullability\x18\x04 \x01(\x08\x1a5\n\x13SchemaMetadataEntry\x12"
    b"\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\x0c:\x028\x01\x1aK"
    b"\n\x07Project\x12!\n\x06schema\x18\x01 \x03(\x0b2\x11.lance.file.Field\x12\x1d\n"
    b"\x15preserves_nullability\x18\x02 \x01(\x08\x1a\r\n\x0bCreateIndex\x1a\t\n\x07Re"
    b"write\x1a\x1a\n\x07Restore\x12\x0f\n\x07version\x18\x01 \x01(\x04\x1a\x12\n\x10R"
    b"eserveFragments\x1a\x8e\x01\n\x06Update\x12\x1c\n\x14removed_fragment_ids\x18"
    b"\x01 \x03(\x04\x124\n\x11updated_fragments\x18\x02 \x03(\x0b2\x19.lance.table.Da"
    b"taFragment\x120\n\rnew_fragments\x18\x03 \x03(\x0b2\x19.lance.table.DataFragment"
    b"\x1a\x0e\n\x0cUpdateConfigB\x0b\n\toperationb\x08editionsp\xe8\x07"
)
