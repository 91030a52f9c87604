"""Checks of inputs that a machine can make: indications for the validity checklist."""
