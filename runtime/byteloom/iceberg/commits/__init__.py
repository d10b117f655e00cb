"""Commits: new snapshots of a table, their summaries, and the catalogs that take them."""
