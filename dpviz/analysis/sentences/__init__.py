"""Every English sentence and table a user reads; one file per topic."""
