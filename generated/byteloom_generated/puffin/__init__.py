"""Records of specs/puffin."""
