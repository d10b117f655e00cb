"""Times for benchmarks, which print them beside those of a peer."""

from collections.abc import Callable
from time import perf_counter

__all__ = ["best"]


def best(run: Callable[[], object], rounds: int) -> float:
    """The least of the seconds of several rounds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)
