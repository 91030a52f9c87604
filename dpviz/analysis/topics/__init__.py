"""One file a topic: its numbers, sentences and tables, layers, pictures and `TOPIC`, in this order.

`registry.py` lists all topics.
"""
