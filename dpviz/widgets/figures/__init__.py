"""The only package that uses bqplot, which is slow to import: frames, axes, marks and style."""
