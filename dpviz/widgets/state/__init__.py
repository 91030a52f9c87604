"""The store of linked views, its undo history, and its part in the browser."""
