"""ORC, written by byteloom-codegen from specs/orc."""
