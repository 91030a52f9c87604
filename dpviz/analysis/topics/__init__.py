"""One file a topic: its numbers, sentences, layers and pictures; `registry.py` lists all topics."""
