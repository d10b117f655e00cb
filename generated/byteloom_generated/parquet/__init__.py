"""Tables of specs/parquet."""
