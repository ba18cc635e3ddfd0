"""Colour passing on Spark, for graphs on disk that fit into the memory of no single machine.

``run`` does it from start to end, with checkpoints. ``preparation`` reads the graph, checks it and
gives variables their initial colours; ``rounds`` passes colours, as 64-bit hashes, with two
group-bys a round; ``verification`` compares all members of each group exactly at the fixed point.
``groups`` fetches the quotient, and numbers the groups as colour passing in memory does.
``storage`` has the files of a run, wherever Spark can read and write; ``session`` starts Spark.
"""
