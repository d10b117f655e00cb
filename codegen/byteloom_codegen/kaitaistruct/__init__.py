"""The drop-in output: modules with the official Python API, on the `kaitaistruct` of PyPI.

A second view over the same model as `byteloom_codegen.python`; it differs in what it prints, never
in what a spec means.
"""

from byteloom_codegen.kaitaistruct.modules import emit

__all__ = ["emit"]
