"""The lessons, one file each: questions with the numbers of a student."""
