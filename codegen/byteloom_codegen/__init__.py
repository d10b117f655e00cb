"""Generate Python codecs and reference pages from descriptions of binary layouts."""
