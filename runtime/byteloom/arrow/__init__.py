"""Rows as Arrow data: what callers give, what they get, and columns of text."""
