"""Documents made of few kinds of block, as HTML that survives a sanitiser and as plain text."""
