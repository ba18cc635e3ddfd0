"""Models and data: tables as relations, as evidence, and as sources to learn potentials from.

``columns`` reads tables of any library as columns of codes, ``values`` turns a value into a name,
and ``csv_tables`` reads files. With them ``learning`` counts potentials for a given structure
(front door: ``learning/learn``), and ``templates`` makes models of the individuals that tables
mention (front door: ``templates/template``).
"""
