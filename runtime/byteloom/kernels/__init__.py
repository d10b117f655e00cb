"""The few loops that a layout cannot give, compiled by numba on first use.

The rules all kernels obey:

- Importing this package loads nothing; a kernel's module loads numba, so callers import it inside
  the function that needs it, and only for inputs that pay for it.
- Kernels are plain ``@njit(cache=True, nogil=True)``: compiled once per machine, safe to run in
  threads, without ``inline="always"`` (five times the compile time for no speed).
- A kernel takes NumPy arrays and numbers that its caller has checked: lengths, offsets and counts
  are proved to lie inside their buffers *before* the call, because nothing is proved inside it.
"""
