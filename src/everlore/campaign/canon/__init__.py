"""What is true in a campaign when two statements cannot both be: found, asked about, and ruled on (G7)."""
