"""Symmetry: from a factor graph to the parametric factor graph that stands for it.

``tables`` compares tables: which are the same up to a scale and the order of their arguments, and
which symmetries each has. ``colours`` passes colours until variables and factors of one colour
look alike from everywhere. ``structure`` finds the logvars behind these groups. ``lifting`` writes
the lifted model down and verifies that grounding it gives back the given graph.
"""
