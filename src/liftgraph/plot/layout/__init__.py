"""Places: where the nodes, names, edges and plates of a scene stand.

Graphs: ``graph_layout`` lays out each connected component: ``stress`` makes distances on paper
like those in the graph, ``spacing`` moves nodes apart, and ``name_labels`` puts names beside nodes.
Parametric factor graphs: ``plates`` decides which domains are drawn as plates and in which columns
nodes stand, ``plate_columns`` places them, and ``lanes`` finds their heights and ways for edges.
Any scenes: ``arrangement`` measures and moves them, and puts several together.
"""
