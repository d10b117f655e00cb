"""Records of specs/hfile."""
