"""Information-set Monte Carlo tree search, compiled once for each game.

A node stands for everything one seat knows at one of its decisions: its key is a hash of what
`encode` gives that seat. Worlds that the seat cannot tell apart lead to the same node and share
its edges and what was found on them. An edge is a chain of small decisions up to the end of the
seat's turn. Each seat maximises its own chance. Every iteration starts from the root concealed
anew, goes down by PUCT, adds one node, judges where its chains lead and adds what it found to the
edges on the way.

A new node's priors, and the chains at the end of a way down, are judged in the world of the
iteration: there others are imagined to guess well. The root's own world is concealed, so nothing
that its seat may not know gets in.

All memory is given by the caller, as a `Memory` of fixed size.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bottega.bots.loops import let_others_decide
from bottega.engine.bits import allowed, bit, lowest, strike
from bottega.engine.chance import mix, seed_chance
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
CHAIN = 12  # small decisions of one edge; where a chain is longer, the next node goes on

EDGE = record_type(
    [
        ("value", np.float64),  # sum of the seat's chances over the visits
        ("prior", np.float32),  # how promising the chain looked at first sight
        ("behind", np.float32),  # by how much its chance then was below that of the best
        ("visits", np.int32),
        ("bag", np.uint32),  # which decisions the chain holds, in any order, hashed
        ("length", np.int16),
        ("chain", np.int16, (CHAIN,)),  # actions, `length` of them
    ]
)

# What steers a search, chosen by play against itself (tools/tune_search.py): positions in `knobs`.
EXPLORE = 0  # how much an edge seldom tried is worth trying, in deviations of the values found
SHARP = 1  # by which part of the mean lead a chain must look better to get e times the prior
TRUST = 2  # for how many visits the first sight counts
LAPS = 3  # how often everybody, at the end of a way down, takes the best chain at first sight
TRIED = 4  # small decisions tried for a node below the root; the rest is left out, if below MOST
EARLY = 5  # what a judgement counts that is made while others still owe a decision

DEPTH = 200  # chains on one way down
WIDTH = 40  # chains of one node, the most promising ones
MOST = 600  # small decisions tried for one node before chains are broken off
NONE = -1  # in the hash table: a free slot
LEAST = 0.01  # the deviation of chances is taken to be at least this


class Memory(NamedTuple):
    """Everything a search works in; one for each thread."""

    nodes: Any  # NODE records
    edges: Any  # EDGE records; the edges of a node lie together
    slots: Any  # hash table: numbers of nodes, or NONE; its size is a power of two
    used: Any  # how many nodes and edges are in use
    way: Any  # the way down: node, edge and seat of each decision
    tables: Any  # records: the table of the iteration, and those of a chain that is tried
    masks: Any  # for the table of the iteration, for each step of a chain, and for others
    choosers: Any  # one: decides for others
    seen: Any  # what a seat knows
    chances: Any  # of each seat, after an action tried
    best: Any  # of each seat, after the best action tried: what goes back up
    mean: Any  # of these, over the chains that are played on
    standing: Any
    chain: Any  # the actions of the chain that is tried
    lead: Any  # one EDGE: the best chain that was tried
    tops: Any  # for each action: where its best chain is, counted from 1
    found: Any  # of each seat: how many chances were found, their sum and that of their squares
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
def key_of(kit, s, seat, m):
    """The key of what a seat knows."""
    encode(kit, s, seat, m.seen)
    return hashed(m.seen, seat, s.turns)


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
    last = m.slots.shape[0] - 1
    slot = np.int64(key & np.uint64(last))
    while m.slots[slot] != NONE and m.nodes[m.slots[slot]].key != key:
        slot = (slot + 1) & last
    return slot


@per_game
def expand(kit, s, seat, key, slot, world, m):
    """Add a node for the seat with its most promising chains, unless the memory is used up."""
    first = m.used[1]
    room = m.used[0] < m.nodes.shape[0] and first + WIDTH <= m.edges.shape[0]
    number = try_chains(kit, s, seat, world, room, m)
    if room:
        share_priors(first, number, m.best[seat], m)
        node = m.nodes[m.used[0]]
        node.key = key
        node.first = first
        node.edges = number
        node.visits = 0
        node.value = 0.0
        m.slots[slot] = m.used[0]
        m.used[0] += 1
        m.used[1] += number


@per_game
def try_chains(kit, s, seat, world, room, m):
    """Try the seat's chains to their end and judge where they lead: `m.best` gets the chances
    after the best one, `m.lead` its actions. If there is room, the best ones become edges; how
    many. Where others decide at the same time, they decide at random, alike for each chain.

    Where there are too many, those begun last are broken off and judged as they are; the next
    node goes on. A game whose decisions show no effect before they are complete leaves them out.
    """
    first = m.used[1]
    others = waiting(kit, s) & ~bit(seat)
    m.tables[1] = s
    legal(kit, s, seat, m.masks[1])
    m.best[seat] = -1.0
    most = MOST if m.used[0] == 0 else np.int64(m.knobs[TRIED])
    depth = 0
    tried = 0
    number = 0
    while depth >= 0:
        if choices(m.masks[depth + 1]) == 0:
            depth -= 1
            continue
        action = nth_action(m.masks[depth + 1], 0)
        strike(m.masks[depth + 1], action)
        m.chain[depth] = action
        m.tables[depth + 2] = m.tables[depth + 1]
        t = m.tables[depth + 2]
        decide(kit, t, seat, action)
        tried += 1
        depth += 1
        unfinished = goes_on(kit, t, s, seat)
        if unfinished and depth < CHAIN and tried < most:
            legal(kit, t, seat, m.masks[depth + 1])
            continue
        if unfinished and most < MOST and m.best[seat] >= 0.0:
            depth -= 1
            continue
        if others:
            seed_chance(m.choosers[0], world)
            let_others_decide(kit, t, others, m.masks[0], m.choosers[0])
        rewards(kit, t, m.chances, m.standing)
        if m.chances[seat] > m.best[seat]:
            for other in range(s.seats):
                m.best[other] = m.chances[other]
            keep_chain(m.lead[0], depth, m)
        if room:
            number = offer(first, number, depth, m.chances[seat], m)
        depth -= 1
    return number


@rule
def keep_chain(edge, length, m):
    """Note the chain that was tried."""
    edge.length = length
    for step in range(length):
        edge.chain[step] = m.chain[step]


@per_game
def goes_on(kit, t, s, seat):
    """Whether the chain that led from one table to another is not complete."""
    return t.over == 0 and t.turns == s.turns and waiting(kit, t) & bit(seat) != 0


@rule
def offer(first, number, length, chance, m):
    """Take up a chain among the edges of a new node, if it is one of the best; how many edges
    there are. The same decisions in another order that are worth the same are left out."""
    bag = np.uint64(0)
    for step in range(length):
        bag += mix(np.uint64(m.chain[step]))
    bag = np.uint32(bag >> np.uint64(32))
    prior = np.float32(chance)
    worst = first
    for at in range(first, first + number):
        if length > 1 and m.edges[at].bag == bag and m.edges[at].prior == prior:
            return number
        if m.edges[at].prior < m.edges[worst].prior:
            worst = at
    if number < WIDTH:
        worst = first + number
        number += 1
    elif prior <= m.edges[worst].prior:
        return number
    edge = m.edges[worst]
    edge.prior = prior
    edge.bag = bag
    edge.value = 0.0
    edge.visits = 0
    keep_chain(edge, length, m)
    return number


@rule
def share_priors(first, number, top, m):
    """Turn first impressions into priors that add up to 1."""
    lead = 0.0
    for at in range(first, first + number):
        lead += (top - m.edges[at].prior) / number
    sharp = m.knobs[SHARP] * max(lead, 1e-6)
    share = 0.0
    for at in range(first, first + number):
        m.edges[at].behind = top - m.edges[at].prior
        m.edges[at].prior = math.exp(-m.edges[at].behind / sharp)
        share += m.edges[at].prior
    for at in range(first, first + number):
        m.edges[at].prior /= share


@rule
def deviation(seat, m):
    """How much the chances found for a seat differ."""
    number = m.found[seat, 0]
    if number < 2.0:
        return LEAST
    mean = m.found[seat, 1] / number
    return max(LEAST, math.sqrt(max(0.0, m.found[seat, 2] / number - mean * mean)))


@rule
def select(node, seat, m):
    """The edge to follow: its value so far, and how little it was tried for its prior."""
    reach = m.knobs[EXPLORE] * deviation(seat, m) * math.sqrt(node.visits + 1.0)
    trust = m.knobs[TRUST]
    # At first sight an edge is as good as the node, less what it was behind the best.
    whole = node.value / node.visits if node.visits > 0 else 0.0
    chosen = node.first
    top = -1e9
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        value = (edge.value + trust * (whole - edge.behind)) / (edge.visits + trust)
        score = value + reach * edge.prior / (1.0 + edge.visits)
        if score > top:
            top = score
            chosen = at
    return chosen


@per_game
def iterate(kit, root, seat, key, seed, m):
    """One way down from the root, concealed anew, and back up.

    The n-th way through each edge of the root meets the n-th world, so that the edges are
    compared under the same conditions.
    """
    slot = find(key, m)
    at = NONE
    world = seed
    if m.slots[slot] != NONE:
        at = select(m.nodes[m.slots[slot]], seat, m)
        world = mix(seed + np.uint64(m.edges[at].visits + 1))
    m.tables[0] = root
    s = m.tables[0]
    mask = m.masks[0]
    hide(kit, s, seat, world)
    actor = seat
    length = 0
    if at != NONE:
        length = go(kit, s, seat, slot, at, length, m)
    while True:
        if s.over != 0 or length == m.way.shape[0]:
            rewards(kit, s, m.best, m.standing)
            break
        actor = next_seat(kit, s, actor)
        legal(kit, s, actor, mask)
        if choices(mask) == 1:
            decide(kit, s, actor, nth_action(mask, 0))
            continue
        key = key_of(kit, s, actor, m)
        slot = find(key, m)
        if m.slots[slot] == NONE:
            expand(kit, s, actor, key, slot, world, m)
            play_on(kit, s, actor, world, m)
            break
        at = select(m.nodes[m.slots[slot]], actor, m)
        length = go(kit, s, actor, slot, at, length, m)
    learn(s.seats, length, m)


@per_game
def go(kit, s, actor, slot, at, length, m):
    """Note an edge on the way, and follow it; the length of the way."""
    m.way[length, 0] = m.slots[slot]
    m.way[length, 1] = at
    m.way[length, 2] = actor
    follow(kit, s, actor, m.edges[at], m.masks[0])
    return length + 1


@per_game
def play_on(kit, s, actor, world, m):
    """Everybody takes the best chain at first sight, for some laps: what goes back up is the mean
    of the chances after each. Judged after one seat's chain alone, that seat looks too good."""
    total = 0.0
    m.mean[:] = 0.0
    for step in range(max(1, s.seats * np.int64(m.knobs[LAPS]))):
        if step > 0:
            actor = take_best(kit, s, actor, mix(world + np.uint64(step)), m)
        settled = s.over != 0 or waiting(kit, s) & ~bit(actor) == 0
        weight = 1.0 if settled else m.knobs[EARLY]
        total += weight
        for seat in range(s.seats):
            m.mean[seat] += weight * m.best[seat]
    if total > 0.0:
        for seat in range(s.seats):
            m.best[seat] = m.mean[seat] / total


@per_game
def take_best(kit, s, actor, world, m):
    """Follow the best chain found for the actor, and find that of whoever has a choice next; who
    that is."""
    mask = m.masks[0]
    if s.over == 0:
        follow(kit, s, actor, m.lead[0], mask)
    actor = to_choice(kit, s, actor, mask)
    if s.over != 0:
        rewards(kit, s, m.best, m.standing)
    else:
        try_chains(kit, s, actor, world, False, m)
    return actor


@per_game
def to_choice(kit, s, actor, mask):
    """Play what is forced, up to somebody's choice or the end; who chooses, with the mask."""
    while s.over == 0:
        actor = next_seat(kit, s, actor)
        legal(kit, s, actor, mask)
        if choices(mask) > 1:
            break
        decide(kit, s, actor, nth_action(mask, 0))
    return actor


@per_game
def follow(kit, s, seat, edge, mask):
    """Play a chain, as far as it is possible in this world: what comes to light on the way may
    differ from where it was found."""
    decide(kit, s, seat, edge.chain[0])
    for step in range(1, edge.length):
        if s.over != 0 or waiting(kit, s) & bit(seat) == 0:
            return
        legal(kit, s, seat, mask)
        action = np.int64(edge.chain[step])
        if not allowed(mask, action):
            return
        decide(kit, s, seat, action)


@rule
def add_to_way(length, m):
    """Add what was found to every node and edge on the way."""
    for step in range(length):
        chance = m.best[m.way[step, 2]]
        node = m.nodes[m.way[step, 0]]
        node.visits += 1
        node.value += chance
        edge = m.edges[m.way[step, 1]]
        edge.visits += 1
        edge.value += chance


@rule
def learn(seats, length, m):
    """Take what was found up the way, and into the deviations."""
    add_to_way(length, m)
    for seat in range(seats):
        m.found[seat, 0] += 1.0
        m.found[seat, 1] += m.best[seat]
        m.found[seat, 2] += m.best[seat] * m.best[seat]


@per_game
def search(kits, roots, seat, seed, iterations, stop, m):
    """So many iterations, until `stop[0]` is set; how many were made."""
    key = key_of(kits[0], roots[0], seat, m)
    for number in range(iterations):
        if stop[0]:
            return number
        iterate(kits[0], roots[0], seat, key, seed, m)
    return iterations


@per_game
def look_at_root(kits, roots, seat, m, visits, values, leads):
    """Add up how often each action of the root began a chain; of its best chain, how often it was
    followed and the chances it led to."""
    slot = find(key_of(kits[0], roots[0], seat, m), m)
    if m.slots[slot] == NONE:
        return
    node = m.nodes[m.slots[slot]]
    m.tops[:] = 0
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        action = edge.chain[0]
        visits[action] += edge.visits
        best = m.tops[action] - 1
        if best < 0 or edge.visits > m.edges[best].visits:
            m.tops[action] = at + 1
    for action in range(m.tops.shape[0]):
        if m.tops[action] > 0:
            edge = m.edges[m.tops[action] - 1]
            leads[action] += edge.visits
            values[action] += edge.value


@per_game
def chain_from(kits, roots, seat, action, m, chain):
    """The chain most often followed of those that begin with an action: how often, how long."""
    slot = find(key_of(kits[0], roots[0], seat, m), m)
    visits = -1
    length = 0
    if m.slots[slot] != NONE:
        node = m.nodes[m.slots[slot]]
        for at in range(node.first, node.first + node.edges):
            edge = m.edges[at]
            if edge.chain[0] == action and edge.visits > visits:
                visits = np.int64(edge.visits)
                length = np.int64(edge.length)
                for step in range(edge.length):
                    chain[step] = edge.chain[step]
    return visits, length
