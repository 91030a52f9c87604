"""Tools of all readers: files, child processes, text blocks, arrays, options and errors."""
