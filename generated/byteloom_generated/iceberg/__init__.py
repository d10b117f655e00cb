"""Records of specs/iceberg."""
