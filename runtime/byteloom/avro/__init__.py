"""Avro: container files, and binary values as columns, wherever they are stored.

    container  a file whose bytes are all there: `open_avro`, `inflate`
    blocks     a data file, some megabytes of blocks at a time
    program    `compile_values` and `compile_blocks`: from a schema to the steps that decode it
    nodes      what a program fills, and how what it fills hangs together
    columns    `Columns`: a program run over values, for those who make Arrow of what it fills

What types mean is for each format to say: they are handed on as the schema has them.

Source: https://avro.apache.org/docs/1.12.0/specification/
"""
