"""Measurements that anybody can repeat: `make bench`. Start at `foundation.py`."""
