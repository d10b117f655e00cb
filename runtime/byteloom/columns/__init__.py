"""Records as columns: loops and walks over bytes, and the Arrow arrays that they fill."""
