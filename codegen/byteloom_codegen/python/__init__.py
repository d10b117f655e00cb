"""The Python outputs: a resolved spec becomes the view that the templates print.

- `module` is the entry: the text of a module.  `record` makes the `view` of one class, `names`,
  `docs`, `literals` and `line_wrapping` the words and lines of it, and `templates` print it.
- `bodies` makes `read` and `write` of the same fields: `read_statements` and `read_calls` face
  `write_statements` and `write_calls`, of the `statements` that both are made of.  `runs` and
  `bit_runs` join adjacent fields, and `placed_instances` writes what is at positions.
- `properties` are what a record calculates: `derived_fields` (lengths and counts, `checksums`,
  `descriptor_fields`), and the `formulas` by which edits are followed.
- `translation` prints expressions of the spec, whose names `scope` resolves; `casts` and `tokens`
  help it.  `checks` prints ``valid``.
- `sizes`, `cost`, `uses`, `child_numbers` and `record_streams` ask of the spec what the others need
  to know; `siblings` is how modules import each other.
"""
