"""Codecs that formats share: compression within limits, checksums, Roaring bitmaps."""
