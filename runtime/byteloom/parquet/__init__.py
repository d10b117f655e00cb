"""Parquet files as bytes: their footers and pages, where a library's own way costs too much.

The library that decodes values is pyarrow.

Source: https://parquet.apache.org/docs/file-format/
"""
