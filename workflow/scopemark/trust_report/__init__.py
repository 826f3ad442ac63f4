"""What the tables of the trust runs say: goals against measurements, as a page, figures and tables. Needs no GPU."""
