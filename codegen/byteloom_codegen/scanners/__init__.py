"""The third form of a spec: scanners, which turn repeated records into Arrow columns.

- `module` is the entry: the text of a module of scanners.  `paths` finds the repeated records,
  `targets` chooses which get a scanner, and `refusals` says why one does not.
- There are four ways to scan, from the simplest records on: `fixed_records` of one size, a loop
  over records that differ in size (``loop_*``), a walk over many ranges of one buffer
  (``walk_*``), and `record_columns`, made by the classes of records that no loop can read.  A put
  (``put_*``) is the inverse of a walk.
- Loop, walk and put have the same parts: ``*_frame`` the statements so far, ``*_records`` the
  fields in order, ``*_values`` one value, ``*_lists`` repeated ones, ``*_switches`` those whose
  type depends on another.  `walk_printer` prints walks and puts, `column_views` the columns.
- Expressions: `calculation` in loops, `column_calculation` and `calculated_columns` over whole
  columns, on `variables`, `numbers`, `kinds` and `flattening`; `rules` prints ``valid``.
- `scan_modules` has all modules that the scan of one record needs, for the command line and Spark.
"""
