"""The validity checklist: what only people know about an audit, and what it changes."""
