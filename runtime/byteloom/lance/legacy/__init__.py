"""Files of version 0.1: batches of rows, and a table of the place of each field's page.

- There is no validity.  Nulls of fixed width are read as 0, and empty text as null if its field
  may be null.
- Datasets write files without a schema: their fields are the dataset's.

Source: https://lance.org/format/file/versioning/
"""
