"""Bayesian networks of GeNIe and SMILE: ``.xdsl``.

``reader`` collects the nodes of a file, from which ``io.nodes`` makes a network; ``writer`` writes
a ``cpt`` for each variable, parents first.

::

    <smile version="1.0" id="Network"><nodes>
    <cpt id="Fire"><state id="yes" /><state id="no" />
      <probabilities>0.01 0.99</probabilities></cpt>
    <deterministic id="Bell"><state id="on" /><state id="off" /><parents>Fire</parents>
      <resultingstates>on off</resultingstates></deterministic>
    <noisymax id="Alarm"><state id="loud" /><state id="silent" /><parents>Fire Bell</parents>
      <strengths>0 1 0 1</strengths>
      <parameters>0.9 0.1 0 1 0.5 0.5 0 1 0.01 0.99</parameters></noisymax>
    </nodes><extensions></extensions></smile>

The first parent is outermost, and the variable itself changes fastest. The states of a noisy-MAX
are listed from the strongest to the weakest, which is the one without any effect. Its parameters
are, for each parent, the distribution of the effect in each of its states, these in the order of
``strengths``; the last of them has no effect. The leak comes last.

A property ``liftgraph_name`` of a node is its name, if that is not an identifier. Other
properties, extensions (where nodes are drawn, submodels, comments) and saved cases are skipped.
Decisions, utilities, equations, noisy adders and time slices are refused.
"""

from liftgraph.io.xdsl.reader import read
from liftgraph.io.xdsl.writer import losses, write

__all__ = ["losses", "read", "write"]
