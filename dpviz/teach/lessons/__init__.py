"""The lessons, one file each: questions with random numbers that depend on a student's login."""
