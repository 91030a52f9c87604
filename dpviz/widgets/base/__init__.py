"""The parts that all views share."""
