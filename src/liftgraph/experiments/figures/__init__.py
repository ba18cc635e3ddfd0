"""Figures of the studies: each function takes all rows of a study and returns a figure.

``evaluation`` draws the paper's figures, with the paper's own curves beside ours; ``extended``
draws what goes beyond the paper. Both use ``style``: what each colour means, the axes, and how a
figure is stored. Matplotlib is loaded only when something is drawn.
"""
