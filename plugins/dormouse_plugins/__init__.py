"""What stands in the agents: the hook program, and how it is connected and removed."""
