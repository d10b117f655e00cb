"""Manifests and manifest lists, decoded into columns.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""
