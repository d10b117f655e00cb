"""Documents as records: JSON objects, and messages whose fields have tags."""
