"""What commands print: rows, documents, trees, messages and progress."""
