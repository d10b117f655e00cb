"""The Kaitai project's conformance suite, run on what byteloom generates.

``python -m tests.conformance.kaitai DIR`` takes any folder of the upstream repository's form:

formats/       the specs; absolute imports are looked up in ``formats/ks_path``
src/           the binary files
spec/ks/       ``*.kst``: assertions in the language's own expressions
spec/python/   the official unit tests, and the process classes they need
formats_err/   specs that have to be refused, each with the place of its mistake
"""
