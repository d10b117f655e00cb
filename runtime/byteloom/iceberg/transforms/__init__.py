"""Partition transforms, of single values and of whole columns.

Source: Iceberg table spec, "Partition Transforms" and "Appendix B".
"""

from byteloom.iceberg.transforms.arrays import apply_array, apply_value
from byteloom.iceberg.transforms.human import to_human
from byteloom.iceberg.transforms.transform import (
    Bucket,
    Day,
    Hour,
    Identity,
    Month,
    TimeTransform,
    Transform,
    Truncate,
    UnknownTransform,
    Void,
    Year,
    parse_transform,
)

__all__ = [
    "Bucket",
    "Day",
    "Hour",
    "Identity",
    "Month",
    "TimeTransform",
    "Transform",
    "Truncate",
    "UnknownTransform",
    "Void",
    "Year",
    "apply_array",
    "apply_value",
    "parse_transform",
    "to_human",
]


def __dir__() -> list[str]:
    return __all__
