"""Slices of losses, and parametrisations that make them round."""
