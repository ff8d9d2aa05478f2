"""Reports: each a pure function of the result model, one file a format."""
