"""Imported for what it does: the course is loaded, and processes forked from this one have it."""

from onehead import course

course.load()
