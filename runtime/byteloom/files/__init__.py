"""How files are recognised, opened and written, whatever their format."""
