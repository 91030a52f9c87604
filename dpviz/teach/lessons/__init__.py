"""One file for each lesson: its questions, with the numbers of a student."""
