"""The store of linked views, its undo history, and the widget that updates the browser."""
