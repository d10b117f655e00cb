"""Specs that are tables and not layouts: JSON documents, types, fields of versions.

load  YAML in, a checked model out; every mistake with file, line and column
emit  the model as a Python module
"""
