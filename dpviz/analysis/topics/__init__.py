"""One file a topic: numbers, sentences, layers, pictures, then `TOPIC`; `registry.py` lists all."""
