"""Expressions: the predicates by which scans are planned and rows are kept.

Source: Iceberg expressions spec; Iceberg table spec, "Scan Planning".
"""
