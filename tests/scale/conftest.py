"""Tests of what only a cluster has: collected only where there is one (`make test-scale`)."""

from tests.cluster import INSTALLED

collect_ignore_glob = [] if INSTALLED else ["test_*.py"]
