"""A file from the browser to scores."""
