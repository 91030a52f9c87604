"""Tables: columns, cells, rows, and one column of numbers as a class."""
