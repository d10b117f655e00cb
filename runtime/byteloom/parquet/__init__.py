"""Footers and pages of Parquet files as bytes, for cases in which pyarrow is too slow.

pyarrow decodes the values, except those of small files.

Source: https://parquet.apache.org/docs/file-format/
"""
