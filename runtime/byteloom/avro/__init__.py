"""Avro: container files, and binary values as columns, wherever they are stored.

    container  a file in memory: `open_avro`, `inflate_into`
    blocks     a data file, some megabytes of blocks at a time
    program    `compile_values` and `compile_blocks`: from a schema to the steps that decode it
    nodes      the steps and columns of a program, and how columns belong together
    columns    `Columns`: a program run over values; Arrow arrays are made of what it fills
    value_reader, value_writer
               `ValueReader`, `ValueWriter`: values one at a time, as Python objects
    column_writer
               `ColumnWriter`: records of Arrow columns
    file_writer
               `write_avro`: a file of such values

Each format says what types mean; here they are passed on as the schema has them.

Source: https://avro.apache.org/docs/1.12.0/specification/
"""
