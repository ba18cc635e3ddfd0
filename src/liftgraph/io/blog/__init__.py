"""Parametric factor graphs in the BLOG syntax that engines for lifted inference read: ``.blog``.

``tokens`` cuts a file into words and signs, ``reader`` reads it statement by statement:
``declarations`` of types, individuals and PRVs, ``logvars`` with their constraints, ``parfactors``;
``individuals`` are those of a type. ``grounding`` is for files that name individuals in
parfactors. ``writer`` writes the statements: types with their individuals, PRVs, parfactors,
observations.

::

    type Person;
    guaranteed Person alice, bob;        // or p[1000] for p1 … p1000, or just [1000]
    type Level;
    guaranteed Level low, high;          // the states of variables that are not Boolean
    random Level Epid;
    random Boolean Sick(Person);
    random Boolean Knows(Person X, Person Y) : X != Y;
    factor MultiArrayPotential[[1, 9]] (Epid);
    parfactor Person X : X != bob . MultiArrayPotential[[3, 1, 1, 5]] (Sick(X), Epid);
    parfactor Person X, Person Y : X != Y .
        MultiArrayPotential[[1, 2, 3, 4, 5, 6, 7, 8]] (Knows(X, Y), Sick(X), Sick(Y));
    factor MultiArrayPotential[[2, 1]] (Sick(alice));
    factor MultiArrayPotential[[1, 2, 3, 4, 5, 6]] (#(Person X)[Sick(X)], Epid);
    obs Epid = high;                     // obs Sick(X) = true; for all persons
    obs Sick(alice) = true;
    query Sick(bob);                     // checked, and not kept

Potentials are exact, and the last argument changes fastest; true comes before false. Values of a
counting variable ``#(Person X)[Sick(X)]`` go from all in the first state down, as the engines read
them. Beyond that syntax, ``X < Y`` stands for an unordered set, ``#X[Sick(X)]`` for a counting
variable over a logvar of the parfactor (its values: 0 to n in the first state, or all histograms in
lexicographic order), and names that are not identifiers are quoted.

A parfactor of the library is about all individuals of its logvars. A file that names individuals
in parfactors is therefore ground, as it is written, and lifted again: variables keep their names
(``Sick.alice``), and those that nothing tells apart are one PRV.
"""

from __future__ import annotations

from liftgraph.io.blog.reader import read
from liftgraph.io.blog.writer import losses, write

__all__ = ["losses", "read", "write"]
