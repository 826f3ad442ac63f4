"""Two stored runs of one machine side by side."""
