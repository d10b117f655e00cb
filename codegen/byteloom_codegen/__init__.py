"""Descriptions of binary layouts in; Python codecs and reference pages out."""
