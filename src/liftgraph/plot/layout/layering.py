"""The layer of each node of an acyclic graph, such that arrows go down and are short in total.

The network simplex method (Gansner, Koutsofios, North and Vo 1993): a spanning tree of arrows from
layer to next layer is improved, arrow by arrow, until no exchange makes the arrows shorter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Arrow = tuple[int, int]  # from a parent to a child, by their indices
_MOST_EXCHANGES = 4  # for each node


def layering(node_count: int, arrows: Sequence[Arrow]) -> list[int]:
    """The layer of each node, from 0; children are below their parents.

    Precondition: the graph is connected and acyclic, and no arrow is there twice.

    >>> layering(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    layer = _longest_paths(node_count, arrows)
    tree = _tight_tree(layer, arrows)
    imbalance = [0] * node_count
    for parent, child in arrows:
        imbalance[parent] += 1
        imbalance[child] -= 1
    for _ in range(_MOST_EXCHANGES * node_count):
        exchange = _exchange(layer, arrows, tree, imbalance)
        if exchange is None:
            break
        leaving, entering, upper = exchange
        slack = _length(layer, arrows[entering]) - 1
        for node in upper:
            layer[node] -= slack
        tree = (tree - {leaving}) | {entering}
    top = min(layer, default=0)
    return [row - top for row in layer]


def _length(layer: Sequence[int], arrow: Arrow) -> int:
    return layer[arrow[1]] - layer[arrow[0]]


def _longest_paths(node_count: int, arrows: Sequence[Arrow]) -> list[int]:
    """The number of arrows on the longest way to each node."""
    children: list[list[int]] = [[] for _ in range(node_count)]
    waiting = [0] * node_count
    for parent, child in arrows:
        children[parent].append(child)
        waiting[child] += 1
    layer = [0] * node_count
    ready = [node for node, parents in enumerate(waiting) if not parents]
    while ready:
        node = ready.pop()
        for child in children[node]:
            layer[child] = max(layer[child], layer[node] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return layer


def _tight_tree(layer: list[int], arrows: Sequence[Arrow]) -> set[int]:
    """A spanning tree of arrows of length one, by their indices; layers are moved to get it."""
    reached, tree = {0}, set[int]()
    while True:
        _grow(reached, tree, layer, arrows)
        leaving = [index for index, (a, b) in enumerate(arrows) if (a in reached) != (b in reached)]
        if not leaving:
            return tree
        nearest = min(leaving, key=lambda index: _length(layer, arrows[index]))
        slack = _length(layer, arrows[nearest]) - 1
        step = slack if arrows[nearest][0] in reached else -slack
        for node in reached:
            layer[node] += step


def _grow(reached: set[int], tree: set[int], layer: Sequence[int], arrows: Sequence[Arrow]) -> None:
    """Add everything that arrows of length one connect with what was reached."""
    neighbours: dict[int, list[tuple[int, int]]] = {}
    for index, (parent, child) in enumerate(arrows):
        if layer[child] - layer[parent] == 1:
            neighbours.setdefault(parent, []).append((child, index))
            neighbours.setdefault(child, []).append((parent, index))
    frontier = sorted(reached)
    while frontier:
        for neighbour, index in neighbours.get(frontier.pop(), ()):
            if neighbour not in reached:
                reached.add(neighbour)
                tree.add(index)
                frontier.append(neighbour)


def _exchange(
    layer: Sequence[int], arrows: Sequence[Arrow], tree: set[int], imbalance: Sequence[int]
) -> tuple[int, int, set[int]] | None:
    """An arrow that leaves the tree, the one that enters, and the nodes to be moved up.

    If the arrow of a tree is removed, there are two parts. Moving the parent's part up by one
    changes the total length by the number of arrows from it to the other part, less those from
    there: the sum of the imbalances of its nodes. If that is negative, moving up is good, as far
    as the arrows from the other part allow.
    """
    for leaving, upper in _negative_cuts(arrows, tree, imbalance):
        back = [index for index, (a, b) in enumerate(arrows) if b in upper and a not in upper]
        if back:
            return leaving, min(back, key=lambda index: _length(layer, arrows[index])), upper
    return None


def _negative_cuts(
    arrows: Sequence[Arrow], tree: set[int], imbalance: Sequence[int]
) -> Iterator[tuple[int, set[int]]]:
    """Arrows of the tree whose removal helps, with the nodes of the part that has the parent."""
    neighbours: list[list[tuple[int, int]]] = [[] for _ in imbalance]
    for index in sorted(tree):
        parent, child = arrows[index]
        neighbours[parent].append((child, index))
        neighbours[child].append((parent, index))
    order, arrow_up = [0], {0: -1}
    for node in order:
        for neighbour, index in neighbours[node]:
            if neighbour not in arrow_up:
                arrow_up[neighbour] = index
                order.append(neighbour)
    total = list(imbalance)
    for node in reversed(order[1:]):
        parent, child = arrows[arrow_up[node]]
        total[child if node == parent else parent] += total[node]
    for node in order[1:]:
        is_parent = arrows[arrow_up[node]][0] == node
        if (total[node] if is_parent else -total[node]) < 0:
            below = _branch(node, arrow_up[node], neighbours)
            upper = below if is_parent else set(order) - below
            yield arrow_up[node], upper


def _branch(node: int, arrow_up: int, neighbours: Sequence[Sequence[tuple[int, int]]]) -> set[int]:
    """The nodes on this side of an arrow of the tree."""
    members, frontier = {node}, [node]
    while frontier:
        for neighbour, index in neighbours[frontier.pop()]:
            if index != arrow_up and neighbour not in members:
                members.add(neighbour)
                frontier.append(neighbour)
    return members
