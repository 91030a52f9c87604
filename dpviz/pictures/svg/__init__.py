"""The SVG backend of a frame."""
