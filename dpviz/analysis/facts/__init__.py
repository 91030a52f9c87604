"""The validity checklist: facts that only people know, and how these facts limit an audit."""
