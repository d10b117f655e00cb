"""New files of a table: rows are checked, partitioned, sorted and written with metrics.

`rows` puts given rows into the table's columns; `partitions` divides and sorts them; `data_files`
and `delete_files` write them, each one `job` whose files are removed if it fails. `output_choice`
chooses `parquet_output`, `orc_output` or `avro_output`, `locations` the path; `open_file` and
`metrics` are what the manifest entry says. `registered_files` makes such entries of files that
exist already.

Source: Iceberg table spec, "Manifests" and "Row-level Deletes".
"""
