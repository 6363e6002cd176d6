"""Everlore inside agent frameworks. Each module needs the package that it is named after."""
