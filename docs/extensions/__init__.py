"""What these pages need beyond Sphinx."""
