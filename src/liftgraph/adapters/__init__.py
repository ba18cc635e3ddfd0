"""Models of other libraries as factor graphs, and factor graphs as models of other libraries.

``libraries`` loads a library when it is first used, ``naming`` turns its names into text,
``floats`` its floats into tables and back, and ``factors`` its factors into a graph and back.
``pgmpy``, ``pyagrum``, ``networkx`` and ``frames`` (pandas, polars, PyArrow) do the rest, one
library each. ``pyagrum_rules`` takes distributions that have no table.
"""
