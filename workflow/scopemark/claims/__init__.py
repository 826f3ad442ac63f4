"""Claims: what is defined, what a run says to it, and the words for it."""
