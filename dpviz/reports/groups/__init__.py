"""The groups of fields of a report, with one module for each topic."""
