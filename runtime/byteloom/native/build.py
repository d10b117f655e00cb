"""Kernels compiled ahead of time: ``python -m byteloom.native.build``.

- For each module with kernels in the table of signatures, one object file is written into
  ``byteloom/native``, and ``index.json`` records its sources.  Files that are up to date are kept.
- Numba compiles; no C compiler, linker or header of the machine is used.
- Code is made for the processors that most machines have, not for this one (`TARGETS`), so that a
  wheel can hold it; `byteloom.native.linking` loads it only where the processor can run it.
- A kernel that cannot be compiled this way is left out, and reported: it is interpreted, or
  compiled when it is used.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.native.linking import FOLDER, INDEX, VERSION, content_digest, read_index
from byteloom.native.signatures import kernel_named, read_table, text_of
from byteloom.native.sources import digest, sources

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TARGETS", "build", "main"]

TARGETS: Final = {
    "x86_64": ("x86-64-v3", ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt")),
}
"""For each kind of machine, the processor to compile for, and the features it must have."""


class _Job(NamedTuple):
    """A module to compile: its kernels with their signatures, its sources and their digest."""

    module: str
    kernels: dict[str, list[tuple[Any, ...]]]
    sources: list[str]
    digest: str

    @property
    def texts(self) -> list[str]:
        """Return the signatures as text, in order."""
        return [
            f"{name} {text_of(each)}"
            for name in sorted(self.kernels)
            for each in self.kernels[name]
        ]


def main() -> None:
    """Build what is out of date, and print how much that was."""
    built, left_out = build()
    lines = [f"not compiled ahead of time: {line}" for line in left_out]
    lines += [f"compiled the kernels of {built} modules"] if built else []
    sys.stderr.writelines(f"byteloom: {line}\n" for line in lines)


def build() -> tuple[int, list[str]]:
    """Build what is out of date; return the number of modules, and why kernels are left out."""
    cpu, features = TARGETS.get(platform.machine(), ("generic", ()))
    kept = _kept(cpu)
    modules, jobs = {}, []
    named, left_out = _jobs()
    for job in named:
        old = kept.get(job.module)
        if old and old["digest"] == job.digest and (FOLDER / f"{job.module}.o").exists():
            modules[job.module] = old
        else:
            jobs.append(job)
    FOLDER.mkdir(exist_ok=True)
    if jobs:
        settings: Any = {"initializer": _aim, "initargs": (cpu,)}
        with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), **settings) as pool:
            for job, made in zip(jobs, pool.map(_compile, jobs), strict=True):
                entries, missing, content = made
                left_out += missing
                modules[job.module] = {
                    "digest": job.digest,
                    "sources": job.sources,
                    "signatures": job.texts,
                    "kernels": entries,
                    "content": content,
                }
    head = {"version": VERSION, "cpu": cpu, "features": features, "numba": _numba()}
    text = json.dumps({**head, "modules": modules}, indent=1, sort_keys=True)
    _replace(INDEX, text.encode())
    for path in FOLDER.glob("*.o"):
        if path.stem not in modules:
            path.unlink()
    return len(jobs), left_out


def _jobs() -> tuple[list[_Job], list[str]]:
    """Return the modules in the table, those with the most kernels first, and unknown names."""
    unknown = []
    by_module: dict[str, dict[str, list[tuple[Any, ...]]]] = defaultdict(dict)
    for name, signatures in read_table().items():
        if kernel_named(name) is None:
            unknown.append(f"{name}: there is no such kernel")
            continue
        module, _, kernel = name.rpartition(".")
        by_module[module][kernel] = signatures
    jobs = []
    for module, kernels in by_module.items():
        job = _Job(module, kernels, sources(module), "")
        jobs.append(job._replace(digest=digest(job.sources, *job.texts)))
    return sorted(jobs, key=lambda job: -len(job.kernels)), unknown


def _aim(cpu: str) -> None:
    """Make numba, which must not be imported yet, compile for *cpu*."""
    os.environ |= {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""}


def _kept(cpu: str) -> dict[str, Any]:
    """Return what an earlier run built, if it may be kept."""
    index = read_index()
    if index is None or (index["cpu"], index["numba"]) != (cpu, _numba()):
        return {}
    return dict(index["modules"])


def _numba() -> str:
    from importlib.metadata import version

    return version("numba")


def _compile(job: _Job) -> tuple[list[str], list[str], str]:
    """Write a module's object file; return its kernels, why others are left out, and its digest."""
    from byteloom.native.object_file import ObjectFile

    made = ObjectFile(job.module)
    entries, missing = [], []
    for name, signatures in sorted(job.kernels.items()):
        try:
            made.add(name, kernel_named(f"{job.module}.{name}"), signatures)
        except Exception as error:  # noqa: BLE001  (numba has many; the kernel is left to it)
            missing.append(f"{job.module}.{name}: {str(error).strip().splitlines()[0]}")
        else:
            entries.append(name)
    content = made.content()
    _replace(FOLDER / f"{job.module}.o", content)
    return entries, missing, content_digest(content)


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that no process sees it half-written."""
    new = path.with_suffix(f".{os.getpid()}")
    new.write_bytes(content)
    new.replace(path)


if __name__ == "__main__":
    main()
