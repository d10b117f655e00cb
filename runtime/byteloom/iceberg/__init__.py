"""Iceberg tables: metadata, manifests, predicates, planning and reading, versions 1 to 3.

Source: Iceberg table spec.
"""
