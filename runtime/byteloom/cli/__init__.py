"""The command line: ``byteloom inspect``, ``describe``, ``verify``, ``puffin``, ...

The rules all commands obey:

- Results go to stdout, everything else to stderr; ``--json`` output has exactly the documented
  shape.
- Exit status 0: done, all good.  1: an error, a damaged file, stale code.  2: wrong usage.
- Errors are one line, ``byteloom: where: found, wanted``, never a traceback.
- Nothing is imported before it is needed: `byteloom --help` loads neither Arrow nor a format.
"""

from byteloom.cli.app import app

__all__ = ["app"]
