"""Figures: what they are made from, and the drawings that they share."""
