"""Protobuf messages (`.proto`): compiled by protoc, printed as modules and pages."""
