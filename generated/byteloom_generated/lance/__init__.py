"""Lance, written by byteloom-codegen from specs/lance."""
