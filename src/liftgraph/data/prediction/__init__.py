"""What a model says about each row of a table: distributions of variables given the row's values.

``evidence`` reads the columns of a table as observed states, ``frames`` writes the answers in the
library that the table came from, and ``predict`` is the front door; the answers themselves come
from ``inference/rows``.
"""
