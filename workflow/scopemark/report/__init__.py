"""The report: the parts of its page, its tables, and the numbers that a paper quotes."""
