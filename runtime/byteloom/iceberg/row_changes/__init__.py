"""Changes of rows: found by a filter or by keys, then deleted, replaced or written again."""
