"""Many users at once against real servers and workers. Start at `__main__`."""
