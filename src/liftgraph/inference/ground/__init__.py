"""Elimination in the ground factor graph: the baseline, and the last resort of lifting.

``reduction`` takes the evidence in and sums away what does not matter; what is left are pieces of
potentials over free variables. ``plan`` makes a program of tensors from them and tells what it
costs; ``run`` carries it out, and reads off it what was asked.
"""
