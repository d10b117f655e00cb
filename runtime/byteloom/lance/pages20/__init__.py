"""Pages of version 2.0: array encodings, and columns of structs and lists made of them.

    stored   bytes of buffers, fetched in ranges or whole
    arrays   array encodings as nodes that give Arrow arrays
    fields   fields of a schema, each read from its columns

Source: https://lance.org/format/file/encoding/
"""
