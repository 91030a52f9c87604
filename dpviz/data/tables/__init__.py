"""Tables: columns as scores and memberships, or one column as the members or non-members."""
