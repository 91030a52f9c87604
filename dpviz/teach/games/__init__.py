"""The games of lessons, one file each: random events that a student lets happen and watches."""
