"""Tables, whose columns become scores and memberships, or the numbers of one class."""
