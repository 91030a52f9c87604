"""Topics: each module describes one subject, with sentences, tables and pictures in its `TOPIC`."""
