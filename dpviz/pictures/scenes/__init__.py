"""The pictures of a result: which layers make which."""
