"""Models and data: tables as relations, as evidence, and as what potentials are learnt from.

``columns`` reads tables of any library as columns of codes, ``values`` says what a value is called,
and ``csv_tables`` reads files. With them ``learning`` counts potentials for a given structure
(front door: ``learning/learn``), and ``templates`` makes models of whatever individuals the tables
mention (front door: ``templates/template``).
"""
