"""Files of version 0.1: batches of rows, and a table of the place of each field's page in a batch.

- There is no validity.  Nulls of fixed width are read as 0, an empty text that may be null as null.
- Datasets write files without a schema: their fields are those of the dataset.

Source: https://lance.org/format/file/versioning/
"""
