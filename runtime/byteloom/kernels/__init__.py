"""Loops that no layout language describes, interpreted on small inputs and compiled on large ones.

The rules all kernels obey:

- Each is decorated with ``@kernel``, which decides at each call whether Python runs it or machine
  code does, so a kernel must have the same meaning for both: words are made signed or unsigned
  explicitly (``np.int64``, ``np.uint64``) wherever bytes or flags are shifted or multiplied.
- Importing a kernel's module does not load numba.
- Kernels release the GIL and are safe to run in threads.  None is inlined by force
  (``inline="always"`` takes five times as long to compile and runs no faster).
- A kernel takes NumPy arrays and numbers that its caller has checked: lengths, offsets and counts
  are checked to be inside their buffers *before* the call, because a kernel does not check them.
"""
