"""Templates written to disk: the graph of relations that need not fit into memory.

DuckDB does the work, in SQL that is put together here, and spills to disk what exceeds its memory
(``engine``). ``files`` and ``sources`` bring tables into it, whatever they come from; from then on
columns are called c0, c1, … and no name of the user is part of any SQL. ``domains`` numbers the
individuals, ``rows`` and ``facts`` turn rows into rows of these numbers (x0, x1, …) and check them,
``numbering`` gives the number of a substitution in SQL, ``variables`` applies it to PRVs, and
``graph`` copies the tables of the graph into files. ``write`` is the front door. Each step does
what ``instantiate`` does in arrays.
"""
