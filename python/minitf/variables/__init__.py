"""State: variables, their scopes, their first values."""
