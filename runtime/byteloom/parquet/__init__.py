"""Footers and pages of Parquet files as bytes, where pyarrow, which decodes values, is too slow.

Source: https://parquet.apache.org/docs/file-format/
"""
