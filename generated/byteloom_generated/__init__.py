"""Codecs written by byteloom-codegen from the specs; edit those, never this."""
