"""The store, its undo history, its browser half."""
