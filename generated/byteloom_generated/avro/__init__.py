"""Avro, written by byteloom-codegen from specs/avro."""
