"""A campaign as a Markdown vault that can be edited by hand: its pages, and what an edited one says otherwise (G12)."""
