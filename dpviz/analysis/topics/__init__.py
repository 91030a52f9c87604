"""What is computed, said and drawn about one thing stands in one file; `registry.py` lists them."""
