"""Colour passing: which variables and factors a factor graph does not tell apart.

``colour_passing`` is the front door. It classifies the tables, lays out the aligned arguments
(``incidence``), gives everything an initial colour by states, evidence and table (``initial``),
and lets one of the ``engines`` refine the colours until they are stable. ``numbering`` numbers the
groups in a way that depends on nothing but the model, ``colouring`` is the result as data, and
``quotient`` is what remains of it without the members.
"""
