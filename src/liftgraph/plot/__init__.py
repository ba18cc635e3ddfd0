"""Pictures of models, groups, answers, plans and trade-offs.

``draw`` looks up which scene shows an object, in a table that others can add to (``register``).
``scenes`` decides what is in the picture: nodes, edges, plates, lines and texts (``scene``).
``layout`` gives everything a place, with the room that its text needs (``text``).
``render`` draws the scene with matplotlib, in the colours of ``style``; the result is a
``picture`` with a caption, which notebooks show and which is stored as SVG or PNG.
"""
