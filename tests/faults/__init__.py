"""What goes wrong outside of dpviz, in real processes, and what must be there afterwards."""
