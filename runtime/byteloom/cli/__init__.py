"""The command line: ``byteloom inspect``, ``describe``, ``verify``, ``puffin``, ...

`commands` has a module for each command or group, `options` what several of them take, `inputs`
what they read, and `printing` what they print; `formats` explains files of each format, `explorer`
shows them in a browser, and `sample_files` writes some.

The rules all commands obey:

- Results go to stdout, everything else to stderr; ``--json`` output has exactly the documented
  shape.
- Exit status 0: done, all good.  1: an error, a damaged file, stale code.  2: wrong usage.
- Errors are one line, ``byteloom: where: found, wanted``, never a traceback.
- Nothing is imported before it is needed: `byteloom --help` loads neither Arrow nor a format.
"""

from byteloom.cli.app import app

__all__ = ["app"]
