"""What an operator wants to see: whether all is well, and how to mend it."""
