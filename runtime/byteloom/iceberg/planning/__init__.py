"""Scan planning: which files of a snapshot must be read, and with which deletes.

Source: Iceberg table spec, "Scan Planning".
"""
