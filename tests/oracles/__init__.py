"""Code that nobody here wrote, made to answer the questions of one attention head."""
