// Movement: what changed travels from where it was to where it is.

import { counted, signature } from "./fresh.js";
import { $$, board, table } from "./page.js";

// Pairs of [old element, name of the new one] for counted things that went from zone to zone.
function flights(before, after) {
  const kinds = new Map();
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(name), after.get(name)];
    const { flow } = (old ?? next).dataset;
    if (!flow) continue;
    const change = Number(next?.dataset.count ?? 0) - Number(old?.dataset.count ?? 0);
    if (!kinds.has(flow)) kinds.set(flow, { from: [], to: [] });
    for (let unit = 0; unit < Math.min(Math.abs(change), 7); unit += 1) {
      if (change < 0) kinds.get(flow).from.push(old);
      else kinds.get(flow).to.push(name);
    }
  }
  return [...kinds.values()].flatMap(({ from, to }) => from.slice(0, to.length).map((old, index) => [old, to[index]]));
}

// What flies looks like the thing itself: a card as a card, of a heap the drawing of one.
function ghost(layer, name, looks, over) {
  const whole = looks.matches(".card, .worker, .mini, .noble");
  const drawing = whole ? looks : looks.querySelector(".gem, .good, .mark, .thing, .icon");
  const box = document.createElement("span");
  box.className = "ghost";
  if (drawing) box.append(bare(drawing));
  box.style.color = getComputedStyle(looks).color;
  box.style.viewTransitionName = name;
  layer.append(box);
  cover(box, over);
  return box;
}

// A copy that is nothing but a picture.
export function bare(element) {
  const copy = element.cloneNode(true);
  for (const node of [copy, ...$$("*", copy)]) {
    for (const name of ["id", "data-thing", "data-flow", "data-pick", "role", "tabindex", "title"]) node.removeAttribute(name);
    if (node.style) node.style.viewTransitionName = "";
    node.classList?.remove("can", "chosen", "fresh", "better");
  }
  return copy;
}

// Over a thing, or over the strip in which it is folded away.
function cover(box, element) {
  const shown = element.checkVisibility() ? element : element.closest("details")?.querySelector("summary") ?? element;
  const { left, top, width, height } = shown.getBoundingClientRect();
  Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}

export async function travel(fresh, change) {
  const before = counted(table());
  const after = counted(fresh);
  const things = [...after].filter(([name, next]) => next.dataset.thing && (!before.has(name) || signature(before.get(name)) !== signature(next)));
  const flying = flights(before, after);
  if (!things.length && !flying.length) return change();

  const layer = document.createElement("div");
  layer.className = `ghosts ${board()?.querySelector("section")?.className ?? ""}`;
  document.body.append(layer);
  const named = [];
  const call = (element, name) => {
    element.style.viewTransitionName = name;
    named.push(element);
  };
  const nameFor = (name) => `thing-${name.replace(/[^a-z0-9]/gi, "-")}`;
  const arrivals = []; // what to do once the new board stands
  for (const [name, next] of things) {
    const source = before.get(name) ?? before.get(next.dataset.from);
    if (before.has(name)) call(source, nameFor(name));
    else if (source) {
      const box = ghost(layer, nameFor(name), document.createElement("i"), source);
      arrivals.push(() => box.remove());
    }
    arrivals.push((now) => now.has(name) && call(now.get(name), nameFor(name)));
  }
  flying.forEach(([old, to], index) => {
    const leaves = old.dataset.thing && !after.has(old.dataset.thing);
    const name = leaves ? nameFor(old.dataset.thing) : `flight-${index}`;
    if (leaves) call(old, name);
    const box = leaves ? null : ghost(layer, name, old, old);
    arrivals.push((now) => {
      if (!now.has(to)) return;
      if (box) cover(box, now.get(to));
      else ghost(layer, name, now.get(to), now.get(to));
    });
  });

  const transition = document.startViewTransition(() => {
    change();
    for (const element of named.splice(0)) element.style.viewTransitionName = "";
    const now = counted(table());
    for (const arrive of arrivals) arrive(now);
  });
  await transition.finished.catch(() => {});
  for (const element of named) element.style.viewTransitionName = "";
  layer.remove();
  return undefined;
}
