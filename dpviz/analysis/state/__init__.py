"""A result as JSON, as Python code, as browser state."""
