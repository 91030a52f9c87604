"""The games of lessons, one file each: a student starts random events and watches a picture."""
