"""A spec as JSON, as Python code, as one line of text; a result as numbers for the browser."""
