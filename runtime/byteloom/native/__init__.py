"""Loops as machine code: compiled ahead of time, and loaded when that is worth it."""
