"""Advice: questions that the measured ratios answer, and the words for it."""
