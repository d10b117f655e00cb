"""Machine code of kernels that was made when byteloom was installed, loaded without numba.

- llvmlite, a dependency of numba, links object files into the process; that takes a tenth of the
  time that importing numba takes, and no linker.
- The code finds the addresses of the objects of this process that it needs in a table (`NEEDS`).
- Code is not used if it was compiled from other sources than those imported, if this processor
  cannot run it, or if this Python lays out its objects differently.

Source: https://llvmlite.readthedocs.io/en/latest/user-guide/binding/execution-engine.html
"""

from __future__ import annotations

import ctypes
import json
import pickle
import sys
import sysconfig
from functools import cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.late import llvm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "DTYPES",
    "FOLDER",
    "INDEX",
    "NEEDS",
    "VERSION",
    "content_digest",
    "entry_name",
    "linked",
    "native",
    "objects",
    "read_index",
    "table_name",
]

DTYPES: Final = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
"""The types of arrays that kernels are compiled for."""


def _raise(pickled: bytes) -> None:
    """Raise the exception that numba pickled: its class, its arguments and its location."""
    kind, args, *_ = pickle.loads(pickled)  # noqa: S301  (made by the compiler, part of the code)
    raise kind(*(args or ()))


_OBJECTS: Final[dict[str, Any]] = {
    "NotImplemented": NotImplemented,
    "None": None,
    "tuple": tuple,
    "bool": bool,
    "float": float,
    "ndarray": np.ndarray,
    "np.bool": np.bool_,
    "np.uint64": np.uint64,
    "np.float64": np.float64,
    "raise": _raise,
    **{name: np.dtype(name) for name in DTYPES},
}
NEEDS: Final = tuple(_OBJECTS)
"""The names of the objects in the table of addresses that machine code reads, in order."""


def objects() -> list[Any]:
    """Return the objects that `NEEDS` names; they live as long as the process."""
    return list(_OBJECTS.values())


FOLDER: Final = Path(__file__).parent / "compiled"
INDEX: Final = FOLDER / "index.json"
VERSION: Final = 1
"""The version of the index's form."""

_MODULE: Final = {
    "content": str,
    "digest": str,
    "kernels": [str],
    "signatures": [str],
    "sources": [str],
}
_FORM: Final = {
    "cpu": str,
    "features": [str],
    "modules": {str: _MODULE},
    "numba": str,
    "version": int,
}

_METH_FASTCALL: Final = 0x80
_HEADER: Final = 16
"""Bytes of a Python object before its own fields, in builds without debugging fields."""
_LOCK: Final = Lock()


def entry_name(module: str, kernel: str) -> str:
    """Return the symbol of a kernel's entry."""
    return f"{module}.{kernel}"


def table_name(module: str) -> str:
    """Return the symbol of the table of addresses for a module's entries."""
    return f"{module}:needs"


def content_digest(content: bytes) -> str:
    """Return the digest by which a damaged object file is recognized."""
    return blake2b(content, digest_size=16).hexdigest()


def native(module: str, kernel: str) -> Callable[..., Any] | None:
    """Return the machine code of a kernel, called like the kernel itself; None if there is none.

    The call returns ``NotImplemented`` for types of arguments that it was not made for.
    """
    with _LOCK:
        return _entries(module).get(kernel)


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


def read_index() -> dict[str, Any] | None:
    """Return the index of what was built; None if it is missing, damaged or of another form."""
    try:
        index = json.loads(INDEX.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return index if _is_like(index, _FORM) and index["version"] == VERSION else None


def _is_like(value: Any, form: Any) -> bool:
    """Return whether a JSON value has the types of *form*; ``{str: T}`` is an object with any keys.

    form  a type, ``[T]`` for a list, or a dict of the keys that an object must have
    """
    if isinstance(form, list):
        return isinstance(value, list) and all(_is_like(each, form[0]) for each in value)
    if not isinstance(form, dict):
        return isinstance(value, form)
    if not isinstance(value, dict):
        return False
    if str in form:
        return all(_is_like(each, form[str]) for each in value.values())
    return all(name in value and _is_like(value[name], form[name]) for name in form)


@cache
def _index() -> dict[str, Any]:
    """Return what was built for each module; empty if this process cannot run it."""
    index = read_index()
    usual = (
        sys.implementation.name == "cpython"
        and object.__basicsize__ == _HEADER
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )
    if index is None or not usual:
        return {}

    able = llvm.get_host_cpu_features()
    return dict(index["modules"]) if all(able.get(each) for each in index["features"]) else {}


@cache
def _engine() -> Any:
    """Return LLVM's linker of code into this process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _entries(module: str) -> dict[str, Callable[..., Any]]:
    """Return the callable kernels of a module, by name."""
    from byteloom.native.sources import digest

    built = _index().get(module)
    if built is None:
        return {}
    try:
        if digest(built["sources"], *built["signatures"]) != built["digest"]:
            return {}
        content = (FOLDER / f"{module}.o").read_bytes()
        is_intact = content_digest(content) == built["content"]  # LLVM crashes on damaged files
        return linked(module, content, built["kernels"]) if is_intact else {}
    except (OSError, ValueError):  # names that no module, file or symbol has
        return {}


def linked(module: str, content: bytes, names: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """Link *content*, the object file of a module; return those kernels of *names* that it has."""
    from byteloom.native.linking import NEEDS, objects

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(content))
    engine.finalize_object()
    place = engine.get_global_value_address(table_name(module))
    if not place:
        return {}
    (ctypes.c_void_p * len(NEEDS)).from_address(place)[:] = [id(each) for each in objects()]
    places = {name: engine.get_function_address(entry_name(module, name)) for name in names}
    return {name: _function(name, at) for name, at in places.items() if at}


_METHODS: Final[list[_Method]] = []
"""Method definitions, kept alive because Python keeps their addresses."""


def _function(name: str, address: int) -> Callable[..., Any]:
    """Return the Python function whose C function is at *address*."""
    method = _Method(name.encode(), address, _METH_FASTCALL, None)
    _METHODS.append(method)
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    make: Any = kind(("PyCFunction_NewEx", ctypes.pythonapi))
    made: Callable[..., Any] = make(ctypes.addressof(method), None, None)
    return made
