"""Each file is one topic: numbers, sentences, layers, pictures, `TOPIC`; the registry lists all."""
