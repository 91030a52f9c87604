"""What all readers use: files, child processes, text blocks, arrays, options and errors."""
