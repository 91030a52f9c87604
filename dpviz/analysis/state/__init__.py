"""A spec as JSON, as Python code or as a line of text, and a result's numbers for the browser."""
