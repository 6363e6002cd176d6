"""A campaign as an editable Markdown vault: its pages, and the changes in an edited one (G12)."""
