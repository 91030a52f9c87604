"""The validity checklist: what only people know about an audit, and how it limits the results."""
