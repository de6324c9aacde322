"""Information-set Monte Carlo tree search, compiled once for each game.

A node stands for everything one seat knows at one of its decisions: its key is a hash of what
`encode` gives that seat. Worlds that the seat cannot tell apart lead to the same node, so a
sealed or hidden choice of somebody else never guides a decision. Each seat maximises its own
chance. Every iteration starts from the root concealed anew, goes down by PUCT, adds one node,
judges it one decision ahead and adds what it found to the edges on the way.

All memory is given by the caller, as a `Memory` of fixed size.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bottega.engine.bits import bit, lowest
from bottega.engine.chance import mix
from bottega.engine.compile import per_game
from bottega.engine.contract import PLACE, encode, judge, legal, result, waiting
from bottega.engine.loops import choices, decide, hide, nth_action
from bottega.engine.record import ENDED, record_type
from bottega.engine.rule import rule

NODE = record_type(
    [
        ("key", np.uint64),  # what the seat knows, hashed
        ("first", np.int32),  # its first edge
        ("edges", np.int32),
        ("visits", np.int32),
        ("value", np.float64),  # sum of the seat's chances over the visits
    ]
)
EDGE = record_type(
    [
        ("value", np.float64),  # sum of the seat's chances over the visits
        ("prior", np.float32),  # how promising the action looked at first sight
        ("visits", np.int32),
        ("action", np.int32),
    ]
)

# What steers a search, chosen by play against itself (tools/tune_search.py): positions in `knobs`.
EXPLORE = 0  # how much an edge seldom tried is worth trying
SHARP = 1  # by how much an action must look better at first sight to get e times the prior
DOUBT = 2  # by how much an edge never tried is taken to be worse than the others
KNOBS = (0.6, 0.06, 0.0)

DEPTH = 200  # decisions on one way down
NONE = -1  # in the hash table: a free slot


class Memory(NamedTuple):
    """Everything a search works in; one for each thread."""

    nodes: Any  # NODE records
    edges: Any  # EDGE records; the edges of a node lie together
    index: Any  # hash table: numbers of nodes, or NONE; its size is a power of two
    used: Any  # how many nodes and edges are in use
    way: Any  # the way down: node, edge and seat of each decision
    tables: Any  # records: the table of the iteration, and one to try actions on
    mask: Any
    seen: Any  # what a seat knows
    chances: Any  # of each seat, after an action tried
    best: Any  # of each seat, after the best action tried: what goes back up
    standing: Any
    knobs: Any


@rule
def hashed(seen, seat, turns):
    """A hash of what a seat knows. The turn is a part, so that no way down is a circle."""
    key = mix(np.uint64(seat) + (np.uint64(turns) << np.uint64(8)))
    for place in range(seen.shape[0]):
        # Most numbers are zero; position and value of the others tell the whole.
        if seen[place] != 0.0:
            key ^= mix(
                np.uint64(place) ^ (np.uint64(np.int64(seen[place] * 5040.0)) << np.uint64(16))
            )
    return key


@per_game
def rewards(kit, s, out, standing):
    """Each seat's share of the win when ended, else its chances."""
    if s.over != ENDED:
        judge(kit, s, out)
        return
    result(kit, s, standing)
    winners = 0
    for seat in range(s.seats):
        winners += standing[seat, PLACE] == 1
    for seat in range(s.seats):
        out[seat] = 1.0 / winners if standing[seat, PLACE] == 1 else 0.0


@per_game
def next_seat(kit, s, seat):
    """Who decides next: the same seat while it has not finished, else the first that owes."""
    owing = waiting(kit, s)
    return seat if owing & bit(seat) else lowest(owing)


@rule
def find(key, m):
    """The slot of the hash table that holds the key, or the free slot where it belongs."""
    last = m.index.shape[0] - 1
    slot = np.int64(key & np.uint64(last))
    while m.index[slot] != NONE and m.nodes[m.index[slot]].key != key:
        slot = (slot + 1) & last
    return slot


@per_game
def expand(kit, s, seat, key, slot, m):
    """Add a node for the seat: every action is tried once and judged, `m.best` gets the best.

    When the memory is used up the table is judged all the same, and no node added.
    """
    number = choices(m.mask)
    first = m.used[1]
    room = m.used[0] < m.nodes.shape[0] and first + number <= m.edges.shape[0]
    top = -1.0
    for n in range(number):
        action = nth_action(m.mask, n)
        m.tables[1] = s
        decide(kit, m.tables[1], seat, action)
        rewards(kit, m.tables[1], m.chances, m.standing)
        if m.chances[seat] > top:
            top = m.chances[seat]
            for other in range(s.seats):
                m.best[other] = m.chances[other]
        if room:
            edge = m.edges[first + n]
            edge.action = action
            edge.prior = m.chances[seat]
            edge.value = 0.0
            edge.visits = 0
    if room:
        share_priors(first, number, top, m)
        node = m.nodes[m.used[0]]
        node.key = key
        node.first = first
        node.edges = number
        node.visits = 0
        node.value = 0.0
        m.index[slot] = m.used[0]
        m.used[0] += 1
        m.used[1] += number


@rule
def share_priors(first, number, top, m):
    """Turn first impressions into priors that add up to 1."""
    share = 0.0
    for at in range(first, first + number):
        m.edges[at].prior = math.exp((m.edges[at].prior - top) / m.knobs[SHARP])
        share += m.edges[at].prior
    for at in range(first, first + number):
        m.edges[at].prior /= share


@rule
def select(node, m):
    """The edge to follow: its value so far, and how little it was tried for its prior."""
    reach = m.knobs[EXPLORE] * math.sqrt(node.visits + 1.0)
    # An edge never tried is taken to be nearly as good as the node on the whole.
    untried = node.value / node.visits - m.knobs[DOUBT] if node.visits > 0 else 0.0
    chosen = node.first
    top = -1e9
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        value = edge.value / edge.visits if edge.visits > 0 else untried
        score = value + reach * edge.prior / (1.0 + edge.visits)
        if score > top:
            top = score
            chosen = at
    return chosen


@per_game
def iterate(kit, root, seat, seed, m):
    """One way down from the root, concealed anew, and back up."""
    m.tables[0] = root
    s = m.tables[0]
    hide(kit, s, seat, seed)
    actor = seat
    length = 0
    while True:
        if s.over != 0 or length == m.way.shape[0]:
            rewards(kit, s, m.best, m.standing)
            break
        actor = next_seat(kit, s, actor)
        legal(kit, s, actor, m.mask)
        if choices(m.mask) == 1:
            decide(kit, s, actor, nth_action(m.mask, 0))
            continue
        encode(kit, s, actor, m.seen)
        key = hashed(m.seen, actor, s.turns)
        slot = find(key, m)
        if m.index[slot] == NONE:
            expand(kit, s, actor, key, slot, m)
            break
        at = select(m.nodes[m.index[slot]], m)
        m.way[length, 0] = m.index[slot]
        m.way[length, 1] = at
        m.way[length, 2] = actor
        length += 1
        decide(kit, s, actor, m.edges[at].action)
    learn(length, m)


@rule
def learn(length, m):
    """Add what was found to every node and edge on the way."""
    for step in range(length):
        chance = m.best[m.way[step, 2]]
        node = m.nodes[m.way[step, 0]]
        node.visits += 1
        node.value += chance
        edge = m.edges[m.way[step, 1]]
        edge.visits += 1
        edge.value += chance


@per_game
def search(kits, roots, seat, seed, first, iterations, stop, m):
    """Iterations `first` to `first + iterations`, until `stop[0]` is set; how many were made."""
    for number in range(iterations):
        if stop[0]:
            return number
        iterate(kits[0], roots[0], seat, mix(seed + np.uint64(first + number)), m)
    return iterations


@per_game
def look_at_root(kits, roots, seat, m, visits, values):
    """Add up how often each action of the root was followed, and the chances it led to."""
    root = roots[0]
    encode(kits[0], root, seat, m.seen)
    slot = find(hashed(m.seen, seat, root.turns), m)
    if m.index[slot] != NONE:
        node = m.nodes[m.index[slot]]
        for at in range(node.first, node.first + node.edges):
            edge = m.edges[at]
            visits[edge.action] += edge.visits
            values[edge.action] += edge.value
