"""What the five sources say, item by item: one runnable line each."""
