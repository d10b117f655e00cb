"""Single values: the binary form of bounds (Appendix D), the JSON form of defaults (Appendix C).

In memory a single value is one plain Python value, its *storage value*:

    boolean                            bool
    int, long                          int
    float, double                      float
    decimal                            decimal.Decimal, of the type's scale
    date                               int, days
    time, timestamp, timestamptz       int, microseconds
    timestamp_ns, timestamptz_ns       int, nanoseconds
    string                             str
    uuid                               uuid.UUID
    fixed, binary, geometry, geography bytes
    struct                             dict by field name
    list, map                          list; list of (key, value)

``specs/iceberg/types.yaml`` says which form each type has.

Source: Iceberg table spec, "Appendix C" and "Appendix D".
"""

from __future__ import annotations

from byteloom.iceberg.values.binary import from_binary, to_binary, unscaled
from byteloom.iceberg.values.json import from_json, to_json

__all__ = ["from_binary", "from_json", "to_binary", "to_json", "unscaled"]


def __dir__() -> list[str]:
    return __all__
