"""Base classes and widgets that all views share."""
