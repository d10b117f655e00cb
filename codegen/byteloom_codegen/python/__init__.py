"""The Python outputs: a resolved spec becomes the view that the templates print."""
