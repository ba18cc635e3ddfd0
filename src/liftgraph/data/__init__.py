"""Models and data: tables as relations, as evidence, and as sources to learn potentials from.

``columns`` reads tables of any library as columns of codes, ``values`` turns a value into a name,
``csv_tables`` reads CSV, and ``table_files`` reads and writes files of tables. With them
``learning`` counts potentials for a given structure (front door: ``learning/learn``), ``templates``
makes models of the individuals that tables mention (front door: ``templates/template``), and
``prediction`` answers for each row of a table (front door: ``prediction/predict``).
"""
