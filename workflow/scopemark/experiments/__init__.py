"""One module per experiment; see `scopemark.experiment`."""
