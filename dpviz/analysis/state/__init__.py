"""Forms of a spec (JSON, Python code, a line of text), and a result's numbers for the browser."""
