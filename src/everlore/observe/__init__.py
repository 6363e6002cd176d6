"""Monitoring for operators: health checks with remedies, and metrics."""
