"""One topic a file: its numbers, sentences, layers and scenes; `registry.py` lists all topics."""
