"""Tables: their columns as scores and membership, or one column as one side of a pair."""
