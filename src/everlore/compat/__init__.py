"""The interfaces of other memory libraries, over Everlore."""
