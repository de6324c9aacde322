"""Tree search guided by a network, compiled once for each game.

As in `tree.py`, a node stands for everything one seat knows at one of its decisions, every
iteration starts from the root concealed anew, and each seat maximises its own chance. But an edge
is one small decision, the network's policy says which ones to look at first, and its value says how
good it is to be where the way down ends.

A way down (`descend`) and what is made of it (`take_leaf`) are two functions: in between the
network is asked, for one tree on a core (`search`), or for thousands of trees at once on a GPU
(`train/kernels.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bottega.bots.net import ask, likeliest, outcomes_of, to_chances
from bottega.bots.tree import (
    NONE,
    add_to_way,
    find,
    goes_on,
    key_of,
    next_seat,
    rewards,
    to_choice,
)
from bottega.engine.bits import WORD, lowest
from bottega.engine.chance import mix, seed_chance
from bottega.engine.compile import per_game
from bottega.engine.contract import encode, judge, legal
from bottega.engine.game import Game
from bottega.engine.loops import choices, decide, hide, nth_action
from bottega.engine.record import record_type
from bottega.engine.rule import rule

NODE = record_type(
    [
        ("key", np.uint64),  # what the seat knows, hashed
        ("value", np.float64),  # sum of the seat's chances over the visits
        ("first", np.int32),  # its first edge
        ("edges", np.int32),
        ("visits", np.int32),  # the network's own word is the first
    ]
)
EDGE = record_type(
    [
        ("value", np.float64),  # sum of the seat's chances over the visits
        ("prior", np.float32),  # how likely the network would choose it
        ("visits", np.int32),
        ("action", np.int16),
    ]
)

# What steers a search, chosen by play (tools/tune_search.py): positions in `knobs`.
EXPLORE = 0  # how much an edge seldom tried is worth trying
UNTRIED = 1  # by how much an edge that was never tried is taken to be worse than its node
JUDGED = 2  # the share of the game's own judge in what is said of a leaf
HEAT = 3  # by how much the policy is softened: it is surer than it should be
ROOT_HEAT = 4  # likewise at the root, where everything may be tried
AHEAD = 5  # decisions by the policy between a leaf and where it is judged
WIDTH = 6  # edges of the root that are tried, in rounds that halve them; 0: as anywhere else
STRETCH = 7  # in rounds: what a difference between the chances found counts beside the policy
LUCK = 8  # so many strokes of luck, times the root of its visits, follow an edge; 0: each its own
LESSON = 9  # as STRETCH for what is learned from it
KEPT = 10  # what stays of the policy in what is learned, in logarithms
KNOBS = 11  # a bot that learns nothing does without the last two

EDGES_PER_NODE = 24  # on average; memory for edges is given in this proportion
DEPTH = 200  # small decisions with a choice on one way down
CHAIN = 12  # small decisions that are planned ahead
FIRM = 0.25  # a plan goes on where this share of the visits before still went
DOUBT = 3.0  # visits that the average of all edges counts for, where something is learned from them
STEADY = 50  # visits: what was found counts at once, and with as many more twice as much
LEAST = 1e-9  # a prior is taken to be at least this
LONGEST = 60  # decisions that are played on until it is the searching seat's turn
NOBODY = -1  # as the actor: the network is not asked
LENGTH, SLOT, LEFT = 0, 1, 2  # in `spot`: of the way; where the new node belongs; in the running


class Memory(NamedTuple):
    """Everything a search works in; one for each thread, or for each of many trees."""

    nodes: Any  # NODE records
    edges: Any  # EDGE records; the edges of a node lie together
    slots: Any  # hash table: numbers of nodes, or NONE; its size is a power of two
    used: Any  # how many nodes and edges are in use
    way: Any  # the way down: node, edge and seat of each decision
    spot: Any  # where it ended
    key: Any  # one: that of the leaf
    tables: Any  # one: the table of the iteration
    masks: Any  # one: what the actor may do
    seen: Any  # what the actor knows
    best: Any  # of each seat: what goes back up
    chances: Any  # of each seat, by the judge
    standing: Any
    noise: Any  # of each action: what chance adds to its score at the root, in rounds
    running: Any  # the edges of the root that are still in the running, the best first
    visits: Any  # of each action: how often it was tried at the root, in all trees together
    values: Any  # of each action: sum of the chances found by it


Make = Callable[[tuple[int, ...], Any], Any]  # an array of a shape and type


def new_memory(
    game: Game, nodes: int, trees: tuple[int, ...] = (), make: Make = np.zeros
) -> Memory:
    """Memory for a tree of so many nodes, or for many such trees."""
    most, actions, words = game.seats[1], game.actions, game.mask_words
    return Memory(
        nodes=make((*trees, nodes), NODE),
        edges=make((*trees, nodes * EDGES_PER_NODE + actions), EDGE),
        slots=make((*trees, 1 << (2 * nodes - 1).bit_length()), np.int32),
        used=make((*trees, 2), np.int64),
        way=make((*trees, DEPTH, 3), np.int64),
        spot=make((*trees, 3), np.int64),
        key=make((*trees, 1), np.uint64),
        tables=make((*trees, 1), game.table),
        masks=make((*trees, 1, words), np.uint64),
        seen=make((*trees, game.observation), np.float32),
        best=make((*trees, most), np.float64),
        chances=make((*trees, most), np.float64),
        standing=make((*trees, most, 2), np.int64),
        noise=make((*trees, actions), np.float32),
        running=make((*trees, actions), np.int64),
        visits=make((*trees, actions), np.int64),
        values=make((*trees, actions), np.float64),
    )


# The root in rounds: its edges share the iterations of a round evenly, and after each the worse
# half is left out (sequential halving). With Gumbel's noise, what comes out follows the policy that
# is best after what was found.


def shared_out(iterations: int, width: int) -> list[int]:
    """The iterations of each round, after the one that makes the root: as many in each, but in none
    fewer than there are edges in the running."""
    rounds = max(1, math.ceil(math.log2(max(1, width))))
    left, shares = iterations - 1, []
    for number in range(rounds - 1):
        shares.append(min(left, max(iterations // rounds, width >> number)))
        left -= shares[-1]
    return [*shares, left]


@rule
def line_up(node, knobs, m):
    """Put the edges of a new root in the running that look best at first sight."""
    m.visits[:] = 0
    m.values[:] = 0.0
    m.spot[LEFT] = node.edges
    for number in range(node.edges):
        m.running[number] = node.first + number
    cut(node, 1.0, knobs, m)


@rule
def cut(node, to_go, knobs, m):
    """Rank those in the running, and leave the best there: with a share of the rounds to go, the
    fewer the smaller it is, down to two."""
    if knobs[WIDTH] == 0.0:
        return
    rank(node, knobs, m)
    started = min(np.int64(node.edges), np.int64(knobs[WIDTH]))
    m.spot[LEFT] = max(min(2, started), np.int64(math.pow(started, to_go) + 0.5))


@rule
def add_found(node, m, visits, values):
    """Add what was found at a root, action by action."""
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        visits[edge.action] += edge.visits
        values[edge.action] += edge.value


@rule
def rank(node, knobs, m):
    """Sort those in the running by what chance, the policy and what was found say of them."""
    stretch = knobs[STRETCH] * reliance(most_visits(m))
    usual = node.value / node.visits
    for number in range(1, m.spot[LEFT]):
        at = m.running[number]
        score = score_of(m.edges[at], stretch, usual, m)
        place = number
        while place > 0 and score_of(m.edges[m.running[place - 1]], stretch, usual, m) < score:
            m.running[place] = m.running[place - 1]
            place -= 1
        m.running[place] = at


@rule
def score_of(edge, stretch, usual, m):
    visits = m.visits[edge.action]
    value = m.values[edge.action] / visits if visits > 0 else usual
    return m.noise[edge.action] + math.log(edge.prior + LEAST) + stretch * value


@rule
def reliance(tried):
    """How much the chances found at a node are to be relied on, where an edge was tried so often:
    the more the more, but not without end. Luck averages out, the network's errors do not."""
    return STEADY + min(tried, STEADY)


@rule
def most_visits(m):
    """How often the action that was tried most was tried at the root, in all trees together."""
    most = 0
    for action in range(m.visits.shape[0]):
        most = max(most, m.visits[action])
    return most


@rule
def next_in_turn(m):
    """The edge of the root to follow: of those in the running the one least tried."""
    chosen = m.running[0]
    for number in range(1, m.spot[LEFT]):
        if m.edges[m.running[number]].visits < m.edges[chosen].visits:
            chosen = m.running[number]
    return chosen


@rule
def improved(node, knobs, m, policy):
    """Fill in the policy as it should be after what was found, and not softened any more; what the
    seat can expect by it. An edge that was never tried counts as much as those that were do on
    average, and one that was seldom tried is drawn to that."""
    stretch = knobs[LESSON] * reliance(most_visits(m))
    kept = knobs[KEPT] * knobs[ROOT_HEAT]  # by which it was softened
    said = node.value  # by the network itself: what was found is on the edges
    tried = 0
    share = 0.0
    mean = 0.0
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        if edge.visits > 0:
            said -= edge.value
            tried += edge.visits
            share += edge.prior
            mean += edge.prior * edge.value / edge.visits
    usual = (said + tried * mean / share) / (1 + tried) if share > 0.0 else said
    top = -math.inf
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        ahead = kept * math.log(edge.prior + LEAST) + stretch * (drawn_to(usual, edge) - usual)
        policy[edge.action] = ahead
        top = max(top, ahead)
    whole = 0.0
    worth = 0.0
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        likely = math.exp(policy[edge.action] - top)  # at most 1, however far they are apart
        policy[edge.action] = likely
        whole += likely
        worth += likely * drawn_to(usual, edge)
    for at in range(node.first, node.first + node.edges):
        policy[m.edges[at].action] /= whole
    return worth / whole


@rule
def drawn_to(usual, edge):
    """What an edge is worth, as far as it was tried."""
    return (edge.value + DOUBT * usual) / (edge.visits + DOUBT)


# A way down


@rule
def select(node, knobs, m):
    """The edge to follow: its value so far, and how little it was tried for its prior (PUCT)."""
    reach = knobs[EXPLORE] * math.sqrt(node.visits)
    untried = node.value / node.visits - knobs[UNTRIED]
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
def descend(kit, root, seat, key, seed, knobs, m):
    """Go down from the root, concealed anew, to a decision that is not in the tree yet; whose it
    is. NOBODY's if the game ends before: then the chances are known.

    The n-th way through each edge of the root meets the n-th world, so that the edges are
    compared under the same conditions.
    """
    slot = find(key, m)
    at = NONE
    world = seed
    if m.slots[slot] != NONE:
        node = m.nodes[m.slots[slot]]
        at = next_in_turn(m) if knobs[WIDTH] > 0.0 else select(node, knobs, m)
        world = mix(seed + np.uint64(m.edges[at].visits + 1))
    m.tables[0] = root
    s = m.tables[0]
    mask = m.masks[0]
    hide(kit, s, seat, world)
    actor = seat
    length = 0
    if at != NONE:
        length = go(kit, s, seat, slot, at, length, seed, knobs, m)
    while s.over == 0 and length < m.way.shape[0]:
        actor = next_seat(kit, s, actor)
        legal(kit, s, actor, mask)
        if choices(mask) == 1:
            decide(kit, s, actor, nth_action(mask, 0))
            continue
        key = key_of(kit, s, actor, m)
        slot = find(key, m)
        if m.slots[slot] == NONE:
            m.key[0] = key
            m.spot[SLOT] = slot
            m.spot[LENGTH] = length
            return actor
        at = select(m.nodes[m.slots[slot]], knobs, m)
        length = go(kit, s, actor, slot, at, length, seed, knobs, m)
    m.spot[LENGTH] = length
    rewards(kit, s, m.best, m.standing)
    return NOBODY


@per_game
def go(kit, s, actor, slot, at, length, seed, knobs, m):
    """Note an edge on the way, and follow it; the length of the way."""
    if knobs[LUCK] > 0.0:
        here = seed ^ m.nodes[m.slots[slot]].key
        seed_chance(s, stroke_of_luck(here, m.edges[at].visits, knobs[LUCK]))
    m.way[length, 0] = m.slots[slot]
    m.way[length, 1] = at
    m.way[length, 2] = actor
    decide(kit, s, actor, np.int64(m.edges[at].action))
    return length + 1


@rule
def stroke_of_luck(seed, visits, luck):
    """What chance brings after an edge. If it were always something new, no way down would ever be
    gone twice, and none would lead far: with more visits there is more, but less than visits."""
    different = 1 + np.int64(luck * math.sqrt(visits))
    return mix(seed + np.uint64(visits % different))


@per_game
def take_leaf(kit, actor, scores, chances, knobs, m):
    """Take what the network says of a leaf."""
    take_chances(kit, m.tables[0], actor, chances, knobs, m)
    expand(actor, scores, knobs, m)


@per_game
def take_chances(kit, s, actor, chances, knobs, m):
    """What the network says of everybody's chances, with the judge's share, is what goes up."""
    seats = np.int64(s.seats)
    to_chances(chances, max(seats, 2))
    for ahead in range(seats):
        m.best[(actor + ahead) % seats] = chances[ahead]
    share = knobs[JUDGED]
    if share > 0.0:
        judge(kit, s, m.chances)
        for seat in range(seats):
            m.best[seat] += share * (m.chances[seat] - m.best[seat])


@rule
def expand(actor, scores, knobs, m):
    """Add a node for the leaf with an edge for each legal action, unless memory is used up."""
    mask = m.masks[0]
    first = m.used[1]
    number = choices(mask)
    if m.used[0] >= m.nodes.shape[0] or first + number > m.edges.shape[0]:
        return
    at = first
    top = np.float32(-1e9)
    for word in range(mask.shape[0]):
        left = mask[word]
        while left != np.uint64(0):
            action = WORD * word + lowest(left)
            left &= left - np.uint64(1)
            edge = m.edges[at]
            edge.action = action
            edge.prior = scores[action]
            edge.visits = 0
            edge.value = 0.0
            top = max(top, scores[action])
            at += 1
    heat = knobs[ROOT_HEAT] if m.used[0] == 0 else knobs[HEAT]
    whole = 0.0
    for at in range(first, first + number):
        m.edges[at].prior = math.exp((m.edges[at].prior - top) / heat)
        whole += m.edges[at].prior
    for at in range(first, first + number):
        m.edges[at].prior /= whole
    node = m.nodes[m.used[0]]
    node.key = m.key[0]
    node.first = first
    node.edges = number
    node.visits = 1
    node.value = m.best[actor]
    m.slots[m.spot[SLOT]] = m.used[0]
    m.used[0] += 1
    m.used[1] += number
    if m.used[0] == 1:
        line_up(node, knobs, m)


# One tree on a core


@per_game
def search(kits, roots, seat, seed, iterations, stop, knobs, net, sheet, m):
    """So many iterations, until `stop[0]` is set; how many were made."""
    key = key_of(kits[0], roots[0], seat, m)
    for number in range(iterations):
        if stop[0]:
            return number
        actor = descend(kits[0], roots[0], seat, key, seed, knobs, m)
        if actor != NOBODY:
            ask(net, m.seen, m.masks[0], sheet)
            take_leaf(kits[0], actor, sheet.scores, sheet.chances, knobs, m)
            if knobs[AHEAD] > 0.0:
                play_on(kits[0], m.tables[0], actor, seat, knobs, net, sheet, m)
        add_to_way(m.spot[LENGTH], m)
    return iterations


@per_game
def play_on(kit, s, actor, seat, knobs, net, sheet, m):
    """Everybody does what the network finds likeliest, for some decisions and on to the searching
    seat's next one: what goes back up is what it says then. Its errors differ from place to place,
    and always asked by the same seat it errs alike for every edge of the root."""
    mask = m.masks[0]
    left = np.int64(knobs[AHEAD])
    while True:
        decide(kit, s, actor, likeliest(sheet.scores, mask))
        actor = to_choice(kit, s, actor, mask)
        if s.over != 0:
            rewards(kit, s, m.best, m.standing)
            return
        encode(kit, s, actor, m.seen)
        ask(net, m.seen, mask, sheet)
        left -= 1
        if left <= 0 and (actor == seat or left < -LONGEST):
            take_chances(kit, s, actor, sheet.chances, knobs, m)
            return


@per_game
def look_at_root(kits, roots, seat, m, visits, values):
    """Add up how often each action of the root was tried, and the chances it led to."""
    slot = find(key_of(kits[0], roots[0], seat, m), m)
    if m.slots[slot] != NONE:
        add_found(m.nodes[m.slots[slot]], m, visits, values)


@per_game
def leave_out(kits, roots, seat, to_go, knobs, m):
    """The end of a round, with `m.visits` and `m.values` filled in."""
    slot = find(key_of(kits[0], roots[0], seat, m), m)
    if m.slots[slot] != NONE:
        cut(m.nodes[m.slots[slot]], to_go, knobs, m)


@per_game
def chain_from(kits, roots, seat, action, knobs, m, chain):
    """The small decisions that are best after an action, up to the end of the turn, as far as
    they are firm: how often the action was tried, and how many decisions there are."""
    slot = find(key_of(kits[0], roots[0], seat, m), m)
    if m.slots[slot] == NONE:
        return -1, 0
    node = m.nodes[m.slots[slot]]
    visits = 0
    for at in range(node.first, node.first + node.edges):
        if m.edges[at].action == action:
            visits = np.int64(m.edges[at].visits)
    m.tables[0] = roots[0]
    s = m.tables[0]
    chain[0] = action
    length = 1
    before = visits
    decide(kits[0], s, seat, action)
    while length < chain.shape[0] and goes_on(kits[0], s, roots[0], seat):
        legal(kits[0], s, seat, m.masks[0])
        if choices(m.masks[0]) == 1:
            chain[length] = nth_action(m.masks[0], 0)
        else:
            slot = find(key_of(kits[0], s, seat, m), m)
            if m.slots[slot] == NONE or m.nodes[m.slots[slot]].visits < FIRM * before:
                break
            edge = m.edges[best_below(m.nodes[m.slots[slot]], knobs, m)]
            chain[length] = edge.action
            before = np.int64(edge.visits)
        decide(kits[0], s, seat, chain[length])
        length += 1
    return visits, length


@rule
def best_below(node, knobs, m):
    """The best edge of a node, weighed as at the root: the policy, as soft as it is there, and what
    was found, as far as it is to be relied on. By visits alone, luck would decide."""
    if knobs[WIDTH] == 0.0:
        return most_tried(node, m)
    stretch = knobs[STRETCH] * reliance(np.int64(m.edges[most_tried(node, m)].visits))
    sharp = knobs[HEAT] / knobs[ROOT_HEAT]
    usual = node.value / node.visits
    best = node.first
    top = -math.inf
    for at in range(node.first, node.first + node.edges):
        edge = m.edges[at]
        score = sharp * math.log(edge.prior + LEAST) + stretch * drawn_to(usual, edge)
        if score > top:
            top = score
            best = at
    return best


@rule
def most_tried(node, m):
    """The edge of a node that was followed most often; among those, the likeliest one."""
    best = node.first
    for at in range(node.first + 1, node.first + node.edges):
        edge, top = m.edges[at], m.edges[best]
        if edge.visits > top.visits or (edge.visits == top.visits and edge.prior > top.prior):
            best = at
    return best


# Many tables


class Found(NamedTuple):
    """What searches found at their roots, a row for each table."""

    policy: Any  # [table, action], as it should be
    worth: Any  # [table], the seat's chance by it
    first: Any  # [table, seat], what the network itself said of everybody's chances
    drawn: Any  # [table], the action that chance and the network's own policy would take
    action: Any  # [table], the one to be played


def new_found(game: Game, tables: int, make: Make = np.zeros) -> Found:
    return Found(
        policy=make((tables, game.actions), np.float32),
        worth=make((tables,), np.float32),
        first=make((tables, outcomes_of(game)), np.float32),
        drawn=make((tables,), np.int64),
        action=make((tables,), np.int64),
    )


@rule
def end_round(to_go, knobs, m):
    """The worse part of the edges of a root is left out."""
    m.visits[:] = 0
    m.values[:] = 0.0
    add_found(m.nodes[0], m, m.visits, m.values)
    cut(m.nodes[0], to_go, knobs, m)


@rule
def note_first(m, i, found):
    """Write down what was said of a new root, whose edges have been lined up."""
    for seat in range(m.best.shape[0]):
        found.first[i, seat] = m.best[seat]
    found.drawn[i] = m.edges[m.running[0]].action


@rule
def note_found(knobs, m, i, found):
    """Write down what was found at a root."""
    node = m.nodes[0]
    found.worth[i] = improved(node, knobs, m, found.policy[i])
    best = m.running[0] if knobs[WIDTH] > 0.0 else most_tried(node, m)
    found.action[i] = m.edges[best].action


@per_game
def search_range(kits, roots, seats, seeds, noise, shares, stop, knobs, net, sheet, m, found):
    """Search at every table that asks a seat, one after the other, in rounds of so many iterations
    (`shared_out`)."""
    for i in range(roots.shape[0]):
        if seats[i] < 0:
            continue
        for action in range(m.noise.shape[0]):
            m.noise[action] = noise[i, action]
        m.slots[:] = NONE
        m.used[:] = 0
        root = roots[i : i + 1]
        search(kits, root, seats[i], seeds[i], 1, stop, knobs, net, sheet, m)
        note_first(m, i, found)
        for number in range(shares.shape[0]):
            search(kits, root, seats[i], seeds[i], shares[number], stop, knobs, net, sheet, m)
            end_round(1.0 - (number + 1) / shares.shape[0], knobs, m)
        note_found(knobs, m, i, found)
