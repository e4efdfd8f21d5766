"""The simulated part of verification at fresh seeds: does any word change?"""
