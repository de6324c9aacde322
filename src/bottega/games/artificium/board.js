// Artificium's planning aid: put cards of the hand (and of the market) into an order and see what
// that chain would take, give and score. It decides nothing and tells nobody.

const $ = (selector, root = document) => root.querySelector(selector);
let order = []; // the slots of the planned cards
let drawn = ""; // what the plan was last drawn from
let dragged = null; // the card that is being dragged: its place in the order, or its slot

const read = (data, name) => JSON.parse(data.dataset[name] || "null");

function facts() {
  const data = $(".artificium .plan-data");
  if (!data) return null;
  const list = (name) => read(data, name) ?? [];
  const named = (items, key) => Object.fromEntries(items.map((item) => [item[key], item]));
  return {
    hand: list("hand"), market: list("market"), now: read(data, "means"), track: list("track"),
    cards: named(list("cards"), "card"), resources: named(list("resources"), "resource"),
  };
}

const times = (items, item) => items.filter((other) => other === item).length;
const words = (counts, { resources }) => Object.values(resources).filter(({ resource }) => counts[resource])
  .map(({ resource, name }) => `${counts[resource]} ${name}`).join(", ");

// Resolve one card: what is missing is bought, if the coins last.
function resolve(card, state, known) {
  const bought = {};
  let price = card.takes.coin ?? 0;
  for (const [kind, n] of Object.entries(card.takes)) {
    const missing = kind === "coin" ? 0 : Math.max(0, n - state.goods[kind]);
    if (missing) bought[kind] = missing;
    if (missing) price += missing * known.resources[kind].buy;
  }
  if (price > state.coins) return `${card.name} lacks ${words(bought, known) || "a coin"}`;
  state.coins -= price;
  for (const [kind, n] of Object.entries(bought)) state.bought[kind] = (state.bought[kind] ?? 0) + n;
  for (const [kind, n] of Object.entries(card.takes)) {
    if (kind !== "coin") state.goods[kind] -= n - (bought[kind] ?? 0);
  }
  for (const [kind, n] of Object.entries(card.gives)) {
    if (kind === "coin") state.coins += n;
    else state.goods[kind] += n;
  }
  for (let step = 0; step < card.points; step += 1) {
    state.points += 1;
    for (const { space, resource } of known.track) if (space === state.points) state.goods[resource] += 1;
  }
  if (card.effect === "fair") state.coins += card.amount[0] * state.front;
  state.front += 1;
  return "";
}

function result(known) {
  const { goods, coins, points, front } = known.now;
  const state = { goods: { ...goods }, coins, points, front, bought: {} };
  const problems = order.map((slot) => resolve(known.cards[slot], state, known));
  return { ...state, problems };
}

function button(text, attributes, classes = "") {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.className = classes;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function row(classes, label, children, empty) {
  const made = document.createElement("div");
  made.className = classes;
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  made.append(...(children.length ? children : [empty]));
  return made;
}

function summary(known, { problems, ...end }) {
  const made = document.createElement("p");
  made.className = "sum";
  made.setAttribute("role", "status");
  if (!order.length) return made;
  const gained = end.points - known.now.points;
  const change = Object.fromEntries(Object.entries(end.goods).map(([kind, n]) => [kind, n - known.now.goods[kind]]));
  const part = (sign) => words(Object.fromEntries(Object.entries(change).map(([kind, n]) => [kind, Math.max(0, sign * n)])), known);
  const parts = [`Scores ${gained}`];
  if (words(end.bought, known)) parts.push(`buys ${words(end.bought, known)}`);
  if (part(-1)) parts.push(`uses up ${part(-1)}`);
  if (part(1)) parts.push(`leaves ${part(1)} more`);
  parts.push(`coins ${known.now.coins} → ${end.coins}`);
  made.textContent = `${parts.join("; ")}.`;
  const why = problems.filter(Boolean);
  if (why.length) {
    const note = document.createElement("span");
    note.className = "why";
    note.textContent = ` ${why.join("; ")}.`;
    made.append(note);
  }
  return made;
}

function draw() {
  const place = $("#plan");
  const known = facts();
  if (!place || !known) return;
  const there = [...known.hand, ...(known.now.card ? [known.now.card] : []), ...known.market];
  order = order.filter((slot, at) => known.cards[slot] && times(order.slice(0, at + 1), slot) <= times(there, slot));
  const now = JSON.stringify([known, order]);
  if (now === drawn && place.childElementCount) return;
  drawn = now;
  const left = [...order];
  const rest = there.filter((slot) => {
    const at = left.indexOf(slot);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const end = result(known);
  const supply = rest.map((slot) => button(known.cards[slot].name, { "data-plan-add": slot, draggable: "true", "aria-label": `Add ${known.cards[slot].name} to the plan` }));
  const chain = order.map((slot, at) => button(known.cards[slot].name, {
    "data-plan-at": at, draggable: "true", "aria-label": `Take ${known.cards[slot].name} out of the plan`,
  }, end.problems[at] ? "bad" : ""));
  if (order.length) chain.push(button("Clear", { "data-plan-clear": "" }));
  const planned = document.createElement("div");
  planned.className = "planned";
  planned.append(
    row("order", "The planned order", chain, "Click cards, or drag them here, in the order you would play them."),
    summary(known, end),
  );
  place.replaceChildren(planned, row("supply", "Cards to plan with", supply, "All cards are in the plan."));
}

document.addEventListener("click", (event) => {
  const { planAdd, planAt, planClear } = event.target.closest?.("#plan button")?.dataset ?? {};
  if (planAdd) order.push(planAdd);
  else if (planAt) order.splice(Number(planAt), 1);
  else if (planClear !== undefined) order = [];
  else return;
  draw();
});

// By dragging, cards of the hand come into the plan, change places in it and leave it; with the
// keyboard they are added and taken out. A card that can be played is dragged as all things are
// (`take`), one that has to wait, and those in the plan, as the browser drags.
document.addEventListener("take", ({ target, detail }) => {
  if (!target.matches(".artificium .plan") || !detail.dataset.flow) return;
  target.open = true;
  order.push(detail.dataset.flow.replace("card-", ""));
  draw();
});

const spot = (event) => event.target.closest?.(".plan :is(.order, .supply)");

document.addEventListener("dragstart", (event) => {
  const source = event.target.closest?.("[data-plan-at], [data-plan-add], .own .hand .card");
  if (!source) return;
  const { planAt, planAdd, flow } = source.dataset;
  dragged = planAt === undefined ? { slot: planAdd ?? flow.replace("card-", "") } : { at: Number(planAt) };
  $(".artificium .plan").open = true;
});
document.addEventListener("dragover", (event) => {
  if (dragged && spot(event)) event.preventDefault();
});
document.addEventListener("dragend", () => { dragged = null; });
document.addEventListener("drop", (event) => {
  const row = spot(event);
  if (!dragged || !row) return;
  event.preventDefault();
  const [slot] = "at" in dragged ? order.splice(dragged.at, 1) : [dragged.slot];
  const to = event.target.closest("[data-plan-at]")?.dataset.planAt ?? order.length;
  if (row.classList.contains("order")) order.splice(Number(to), 0, slot);
  dragged = null;
  draw();
});

// On a wide table the plan lies open beside the hand.
if (innerWidth >= 1000) for (const plan of document.querySelectorAll(".artificium:not(.crowd) .plan")) plan.open = true;

new MutationObserver(draw).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-hand", "data-market", "data-means"] });
draw();
