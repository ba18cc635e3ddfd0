"""Elimination in the ground factor graph: the baseline, and the last resort of lifting.

``reduction`` takes the evidence in and sums away what does not matter; what is left are pieces of
potentials over free variables. ``plan`` turns them into a tensor program and says what it
costs; ``run`` carries it out and reads off the answer. ``on_device`` carries it out on a graphics
card.
"""
