"""Reading: from the tasks of a plan to Arrow batches, with deletes applied.

Source: Iceberg table spec, "Column Projection", "Row-level Deletes", "Scan Planning".
"""
