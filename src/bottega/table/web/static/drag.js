// Dragging, where a hand would drag: a thing that can be picked is taken up and dropped on another
// one that goes with it, or on the own things. It picks, as clicks do. Where several small decisions
// are one movement of the hand, `data-first` says what to pick before, `data-lands` on which things it
// may land.

import { $$, board } from "./page.js";
import { chosen, choose, chooseInTurn, fitting, pickOnly, thing } from "./pick.js";
import { bare } from "./travel.js";

const FAR = 8; // pixels until it is a drag
const HELD = 280; // milliseconds that a finger rests before it drags instead of scrolling
let drag = null; // { pick, element, x, y, box, targets, lands, timer }

// What stays picked when another thing is taken up: what goes with it, or nothing.
const kept = (pick) => (fitting([...chosen, pick]).length ? chosen : []);
const goesWith = (pick) => (other) => other !== pick && fitting([...kept(pick), pick, other]).length > 0;

const words = (text) => (text ?? "").split(" ").filter(Boolean);
const possible = (pick) => pick !== undefined && fitting([pick]).length > 0;

// What to pick before a thing lands somewhere: nothing, itself, or what opens the way to it; null if
// there is no way now.
function approach({ dataset }) {
  if (possible(dataset.pick)) return [dataset.pick];
  const opening = words(dataset.first).find(possible);
  if (opening) return [opening, dataset.pick];
  return dataset.first === undefined && words(dataset.lands).some(possible) ? [] : null;
}

function dropTargets(pick) {
  const things = $$('[data-pick][role="button"]', board());
  const others = things.filter((element) => goesWith(pick)(element.dataset.pick));
  const own = $$("[data-drop], [data-takes]", board()).filter((e) => e.checkVisibility());
  return [...others, ...own.filter((element) => !element.contains(thing(pick)))];
}

function liftUp() {
  const { pick, element } = drag;
  drag.lands = approach(element) ? words(element.dataset.lands).map(thing).filter(Boolean) : [];
  drag.targets = [...drag.lands, ...(possible(pick) ? dropTargets(pick) : [])];
  if (!drag.targets.length) {
    drag = null;
    return;
  }
  const { width } = element.getBoundingClientRect();
  drag.box = document.createElement("div");
  drag.box.className = `dragged ${board().querySelector("section")?.className ?? ""}`;
  drag.box.style.display = "block";
  const copy = bare(element);
  copy.style.width = `${width / (element.currentCSSZoom ?? 1)}px`;
  drag.box.style.zoom = element.currentCSSZoom ?? 1;
  drag.box.append(copy);
  document.body.append(drag.box);
  for (const target of drag.targets) target.classList.add("drops");
}

function moveDrag({ clientX, clientY }) {
  const zoom = drag.box.currentCSSZoom ?? 1;
  Object.assign(drag.box.style, { left: `${clientX / zoom}px`, top: `${clientY / zoom}px` });
}

function endDrag(event) {
  const was = drag;
  drag = null;
  clearTimeout(was.timer);
  if (!was.box) return;
  was.box.remove();
  for (const target of was.targets) target.classList.remove("drops");
  // The click that follows is not meant.
  const swallow = (click) => { click.stopPropagation(); click.preventDefault(); };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 0);
  if (!event) return;
  const under = document.elementsFromPoint(event.clientX, event.clientY);
  const target = was.targets.find((one) => under.includes(one));
  if (!target) return;
  if (was.lands.includes(target)) {
    chooseInTurn([...approach(was.element), target.dataset.pick]);
    return;
  }
  if (target.dataset.takes !== undefined) {
    target.dispatchEvent(new CustomEvent("take", { bubbles: true, detail: was.element }));
    return;
  }
  const other = target.dataset.pick;
  const before = kept(was.pick);
  if (other && target.matches('[role="button"]')) {
    pickOnly([...before, was.pick]);
    choose(other);
  } else {
    pickOnly(before);
    choose(was.pick);
  }
}

document.addEventListener("pointerdown", (event) => {
  const element = event.target.closest?.('[data-pick][role="button"], [data-lands]');
  if (!element || event.button !== 0 || event.target.closest("button, a, summary")) return;
  drag = { pick: element.dataset.pick, element, x: event.clientX, y: event.clientY };
  if (event.pointerType === "touch") {
    drag.timer = setTimeout(() => {
      if (!drag) return;
      liftUp();
      if (drag) moveDrag(event);
    }, HELD);
  }
});

document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > FAR;
  if (!drag.box && far) {
    if (event.pointerType === "touch") endDrag(null);
    else liftUp();
  }
  if (drag?.box) moveDrag(event);
});
document.addEventListener("touchmove", (event) => { if (drag?.box) event.preventDefault(); }, { passive: false });
document.addEventListener("dragstart", (event) => { if (drag) event.preventDefault(); });
document.addEventListener("pointerup", (event) => { if (drag) endDrag(event); });
document.addEventListener("pointercancel", () => { if (drag) endDrag(null); });
