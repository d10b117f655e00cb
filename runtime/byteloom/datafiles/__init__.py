"""Files of rows in Parquet, ORC and Avro, read as Arrow columns that are identified by field ids.

Nothing here knows what kind of table a file belongs to.  `data_file.DataFile` is what can be done
with a file of any format, and `opening.open_data_file` opens one.
"""
