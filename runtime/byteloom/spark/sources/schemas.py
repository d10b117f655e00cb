"""The schema that a user gives to a source, compared with the source's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["chosen_names"]


def chosen_names(
    source: str,
    schema: StructType,
    columns: Sequence[str] | None,
    known: Callable[[Sequence[str] | None], pa.Schema],
) -> Sequence[str] | None:
    """Return the columns to read for *schema*: the source's own, a user's, or those a query needs.

    Args:
        columns: The columns that an option names; None for all.
        known: Returns the source's columns with these names, with Arrow's types; all for None.

    Returns:
        None for all.

    Raises:
        ArgumentError: A column that the source lacks, or whose type differs.
    """
    from byteloom.spark.arrow_schemas import spark_schema

    own = spark_schema(known(columns))
    if columns is None and list(schema.names) != list(own.names):
        columns = tuple(schema.names)
        own = spark_schema(known(columns))
    elif columns is not None and set(schema.names) < set(own.names):
        columns = tuple(each for each in columns if known((each,)).names[0] in schema.names)
        own = spark_schema(known(columns))
    if list(schema.names) != list(own.names):
        found, wanted = ", ".join(schema.names), ", ".join(own.names)
        raise ArgumentError(f"{source} schema", None, found, f"the columns {wanted}")
    for given, each in zip(schema.fields, own.fields, strict=True):
        found, wanted = given.dataType.simpleString(), each.dataType.simpleString()
        if found != wanted:
            raise ArgumentError(f"{source} schema.{given.name}", None, found, wanted)
    return columns
