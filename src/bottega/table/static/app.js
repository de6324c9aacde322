// Bottega in the browser. The page is made by the server and works without this; here it comes to
// life: things are picked by clicking them, the table follows what others do, and what changed moves.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const page = document.documentElement;
const table = () => $("#table");
const board = () => $("#board");

// Switches: kept in cookies, so that the server draws the first picture right

const remember = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`;
};
const remembered = (name) => document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1];
const asksForCalm = matchMedia("(prefers-reduced-motion: reduce)");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const still = () => asksForCalm.matches || page.dataset.motion === "off";
let sound = remembered("sound") === "on";

const switches = {
  theme() {
    const dark = page.dataset.theme ? page.dataset.theme === "dark" : prefersDark.matches;
    page.dataset.theme = dark ? "light" : "dark";
    remember("theme", page.dataset.theme);
  },
  motion() {
    page.dataset.motion = page.dataset.motion === "off" ? "on" : "off";
    remember("motion", page.dataset.motion);
    say(`Movement is ${page.dataset.motion}.`);
  },
  sound() {
    sound = !sound;
    remember("sound", sound ? "on" : "off");
    say(`Sound is ${sound ? "on" : "off"}.`);
    ring("pick");
  },
};

function showSwitches() {
  $('[data-switch="motion"]')?.setAttribute("aria-pressed", page.dataset.motion !== "off");
  $('[data-switch="sound"]')?.setAttribute("aria-pressed", sound);
}

// What is heard and said

const TONES = { pick: [520], news: [330], turn: [440, 660], end: [440, 554, 659, 880] };
let audio;

function ring(what) {
  if (!sound) return;
  audio ??= new AudioContext();
  TONES[what].forEach((pitch, index) => {
    const from = audio.currentTime + index * 0.09;
    const tone = new OscillatorNode(audio, { frequency: pitch, type: "triangle" });
    const volume = new GainNode(audio, { gain: 0.12 });
    volume.gain.setValueAtTime(0.12, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 0.16);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.17);
  });
}

const say = (text) => { $("#live").textContent = text; };

let noticeTimer;
function notice(text, seconds = 6) {
  const box = $("#notice");
  clearTimeout(noticeTimer);
  box.textContent = text;
  box.hidden = !text;
  if (text && seconds) noticeTimer = setTimeout(() => { box.hidden = true; }, seconds * 1000);
}

// Making the old page like the new one, keeping every node that stays: focus, scrolling and what is
// typed survive

const keyOf = (node) => node.id || node.dataset?.thing;
const alike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName;

function morph(from, to) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  if (from.hasAttribute("data-keep")) return;
  morphAttributes(from, to);
  const keyed = new Map([...from.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let at = from.firstChild;
  for (const next of [...to.childNodes]) {
    const key = keyOf(next);
    const same = key ? keyed.get(key) : at && !keyOf(at) ? at : null;
    if (!same || !alike(same, next)) {
      from.insertBefore(document.importNode(next, true), at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else from.insertBefore(same, at);
    morph(same, next);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function morphAttributes(from, to) {
  const mine = (name) => name === "open" && from.nodeName === "DETAILS"; // opened by the reader
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !mine(name)) from.removeAttribute(name);
  }
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value && !mine(name)) from.setAttribute(name, value);
  }
}

// Picking: the things on the board are the interface

let legal = []; // what may be done: the button of "All choices", and the things to pick for it
let chosen = []; // the picks so far

const count = (items, item) => items.filter((other) => other === item).length;
const within = (few, many) => few.every((item) => count(few, item) <= count(many, item));
const fitting = (picks) => legal.filter((action) => within(picks, action.picks));
const complete = () => fitting(chosen).filter((action) => action.picks.length === chosen.length);
const thing = (pick) => board() && $(`[data-pick="${CSS.escape(pick)}"]`, board());

function readLegal() {
  legal = $$("#choices button").map((button) => ({
    button,
    picks: button.dataset.picks.split(" ").filter(Boolean),
  }));
  if (!fitting(chosen).length) chosen = [];
}

function arm() {
  for (const element of board() ? $$("[data-pick]", board()) : []) {
    const pick = element.dataset.pick;
    const picked = count(chosen, pick);
    const can = fitting([...chosen, pick]).length > 0;
    const could = can || picked || fitting([pick]).length > 0;
    element.classList.toggle("can", can);
    element.classList.toggle("chosen", picked > 0);
    if (picked > 1) element.dataset.times = picked;
    else delete element.dataset.times;
    const button = { role: "button", tabindex: 0, "aria-label": element.dataset.name, "aria-pressed": picked > 0 };
    for (const [name, value] of Object.entries(button)) {
      if (could) element.setAttribute(name, value ?? pick);
      else element.removeAttribute(name);
    }
  }
  showWays();
  showConfirm();
}

// Actions that have no thing on the board get a button beside the prompt.
function showWays() {
  const place = $("[data-ways]");
  if (!place) return;
  const out = legal.filter((action) => !action.picks.length || action.picks.some((pick) => !thing(pick)));
  fill(place, out.map(copyOf));
}

function copyOf(action) {
  const button = action.button.cloneNode(true);
  button.className = "go";
  return button;
}

// News does not take a button from under the finger; after a decision the same words are a new question.
function fill(place, fresh) {
  const old = [...place.children];
  const same = fresh.length === old.length && fresh.every((node, at) => node.isEqualNode(old[at]));
  if (!same || sending.size) place.replaceChildren(...fresh);
}

function showConfirm() {
  const bar = $("#confirm");
  if (!bar) return;
  bar.hidden = !chosen.length;
  if (bar.hidden) return bar.replaceChildren();
  const back = document.createElement("button");
  back.type = "button";
  back.textContent = "Take back";
  back.dataset.takeBack = "";
  const ready = complete();
  const text = document.createElement("p");
  const more = Math.min(...fitting(chosen).map((action) => action.picks.length)) - chosen.length;
  text.textContent = ready.length ? "" : `Pick ${more} more.`;
  fill(bar, [...(ready.length ? [] : [text]), ...ready.map(copyOf), back]);
  placeConfirm();
  return undefined;
}

// Where the eye is: beside the thing chosen last, or at the bottom of a phone.
function placeConfirm() {
  const bar = $("#confirm");
  const target = chosen.length && thing(chosen.at(-1));
  if (!bar || bar.hidden) return;
  bar.style.left = bar.style.top = "";
  if (!target || innerWidth < 700) return;
  const near = target.getBoundingClientRect();
  const { width, height } = bar.getBoundingClientRect();
  const clamp = (value, most) => Math.max(6, Math.min(value, most - 6));
  const places = [
    [near.right + 8, near.top],
    [near.left - width - 8, near.top],
    [near.left, near.bottom + 8],
    [near.left, near.top - height - 8],
  ].map(([left, top]) => ({ left: clamp(left, innerWidth - width), top: clamp(top, innerHeight - height) }));
  const others = $$('[data-pick][role="button"]').map((element) => element.getBoundingClientRect());
  const shared = (from, size, other, its) => Math.max(0, Math.min(from + size, other + its) - Math.max(from, other));
  // How much of the things that could be picked would be hidden; of the chosen thing itself, none may be.
  const hidden = ({ left, top }) => [near, near, near, near, ...others]
    .map((other) => shared(left, width, other.left, other.width) * shared(top, height, other.top, other.height))
    .reduce((sum, area) => sum + area, 0);
  const best = places.reduce((one, other) => (hidden(other) < hidden(one) ? other : one));
  bar.style.left = `${best.left}px`;
  bar.style.top = `${best.top}px`;
}

function choose(pick) {
  if (fitting([...chosen, pick]).length) chosen.push(pick);
  else if (count(chosen, pick)) chosen.splice(chosen.lastIndexOf(pick), 1);
  else if (fitting([pick]).length) chosen = [pick];
  else return undefined;
  ring("pick");
  arm();
  if (innerWidth < 700) thing(pick).scrollIntoView({ block: "nearest" }); // the bar must not hide it
  const ready = complete();
  const more = fitting(chosen).some((action) => action.picks.length > chosen.length);
  // A small step that can be taken back needs no confirmation.
  if (ready.length === 1 && !more && thing(pick)?.dataset.now !== undefined) return board().requestSubmit(ready[0].button);
  say(ready.map((action) => action.button.textContent.trim()).join(". Or: ") || $("#confirm").textContent);
  // By keyboard the hand goes on to the confirm button, once nothing more can be picked.
  if (ready.length && !more && document.activeElement?.matches(":focus-visible")) $("#confirm .go").focus();
  return undefined;
}

function takeBack() {
  const last = chosen.at(-1);
  chosen = [];
  arm();
  if (last) thing(last)?.focus();
}

// Movement: what changed travels from where it was to where it is

const signature = ({ dataset }) => [dataset.zone, dataset.state, dataset.count].join("|");
const nameOf = (element) => element.dataset.thing ?? `${element.dataset.flow}@${element.dataset.zone}`;
const counted = (root) => new Map($$("[data-thing], [data-flow]", root).map((e) => [nameOf(e), e]));
const signatures = (root) => new Map([...counted(root)].map(([name, element]) => [name, signature(element)]));

// What the viewer saw when they last decided. Kept by table and seat, so that it survives a reload
// and a night; a spectator's begins when the page is opened.
const MOST_KEPT = 30;
let seen = null; // null: from now on
let seenBy; // the key under which it is kept

function recall() {
  const { table: url, seat, at } = table().dataset;
  const key = seat ? `seen ${url} ${seat}` : null;
  if (at !== undefined || key === seenBy) return;
  seenBy = key;
  const kept = key && localStorage.getItem(key);
  seen = kept ? new Map(JSON.parse(kept)) : null;
}

function keep() {
  if (!seenBy) return;
  const others = Object.keys(localStorage).filter((key) => key.startsWith("seen ") && key !== seenBy);
  for (const old of others.slice(MOST_KEPT)) localStorage.removeItem(old);
  localStorage.setItem(seenBy, JSON.stringify([...seen]));
}

// The viewer decided. On a screen that is passed on at once, what they saw before it is kept.
function decided() {
  seen = signatures(table());
  keep();
  seen = null;
}

function markFresh() {
  recall();
  if (!seen) {
    seen = signatures(table());
    keep();
  }
  for (const [name, element] of counted(table())) {
    element.classList.toggle("fresh", seen.get(name) !== signature(element));
  }
}

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

function ghost(layer, name, looks, over) {
  const drawing = looks.querySelector(".gem, .icon");
  const box = document.createElement("span");
  box.className = "ghost";
  if (drawing) box.append(drawing.cloneNode(true));
  box.style.color = getComputedStyle(looks).color;
  box.style.viewTransitionName = name;
  layer.append(box);
  cover(box, over);
  return box;
}

// Over a thing, or over the strip in which it is folded away.
function cover(box, element) {
  const shown = element.checkVisibility() ? element : element.closest("details")?.querySelector("summary") ?? element;
  const { left, top, width, height } = shown.getBoundingClientRect();
  Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}

async function travel(fresh, change) {
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

// Following the table

const lines = (root) => $$(".log li[id]", root);

async function show(fresh) {
  const old = table();
  const told = new Set(lines(old).map((line) => line.id));
  const news = lines(fresh).filter((line) => !told.has(line.id)).reverse();
  const wasMine = old.dataset.mine === "yes";
  const wasOver = old.classList.contains("over");
  const moved = fresh.dataset.seq !== old.dataset.seq || fresh.dataset.at !== old.dataset.at;
  const held = document.activeElement;
  const inside = old.contains(held);
  if (fresh.dataset.at !== undefined && moved) { // a replay marks what each step changed
    seen = Math.abs(fresh.dataset.at - old.dataset.at) === 1 ? signatures(old) : null;
  }
  const change = () => {
    if (moved) quietHint();
    morph(old, fresh);
    settle();
    if (inside && (!held.isConnected || document.activeElement === document.body)) {
      (thing(held.dataset.pick ?? lastPick) ?? $("#prompt")).focus();
    }
  };
  const moving = document.startViewTransition && !still() && !document.hidden;
  if (moving) await travel(fresh, change);
  else change();
  const now = table();
  const mine = now.dataset.mine === "yes";
  if (news.length || mine !== wasMine) say([...news.map((line) => line.textContent), $("#prompt").textContent].join(" "));
  if (now.classList.contains("over") && !wasOver) ring("end");
  else if (mine && !wasMine) ring("turn");
  else if (news.length) ring("news");
}

// After every change of the page: read what may be done and make it pickable.
function settle() {
  if (!table()) return;
  readLegal();
  arm();
  markFresh();
  markBetter();
  showSwitches();
}

// At a turning point of a replay: the things of the better choice.
function markBetter() {
  const better = (table().dataset.better ?? "").split(" ");
  for (const element of $$("[data-pick]", table())) {
    element.classList.toggle("better", better.includes(element.dataset.pick));
  }
}

let wanted = null; // the address to load next
let running = null; // the loop that loads until nothing is wanted; resolves when the page is up to date

const whole = () => (table().dataset.at === undefined ? `${table().dataset.table}/board` : location.pathname + location.search);

function refresh(address = whole()) {
  wanted = address;
  running ??= keepLoading().finally(() => { running = null; });
  return running;
}

async function keepLoading() {
  while (wanted) {
    const address = wanted;
    wanted = null;
    try {
      const answer = await fetch(address, { headers: { "X-Fragment": "1" } });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#table");
      if (!answer.ok || !fresh) return location.reload();
      if (!wanted) await show(fresh);
    } catch {
      notice("The server cannot be reached just now. Trying again…", 0);
      await new Promise((resolve) => { setTimeout(resolve, 2000); });
      wanted ??= address;
    }
  }
  return undefined;
}

function follow() {
  const { table: url, seq } = table().dataset;
  const source = new EventSource(`${url}/events?seq=${seq}`);
  source.addEventListener("update", (event) => {
    if (event.data !== table().dataset.seq) refresh();
  });
  source.addEventListener("gone", () => location.reload());
  source.onopen = async () => {
    if (!page.dataset.lost) return;
    delete page.dataset.lost;
    await refresh(); // what was missed meanwhile
    if (!page.dataset.lost) notice("");
  };
  source.onerror = () => {
    page.dataset.lost = "yes";
    notice("The connection is lost. Trying again…", 0);
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  };
}

// Forms: sent in the background, the page stays

let lastPick = "";
const sending = new Set(); // addresses that have not answered yet; news may replace the button that waits

function mark(address, waits) {
  sending[waits ? "add" : "delete"](address);
  document.body.toggleAttribute("data-sending", sending.size > 0);
}

async function send(form, button) {
  const address = form.getAttribute("action");
  mark(address, true);
  button?.setAttribute("aria-busy", "true");
  lastPick = chosen[0] ?? "";
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
    const told = await answer.json().catch(() => ({}));
    if (!answer.ok) notice(told.error ?? "That did not work. Please try again.");
    else {
      if (form === board()) decided();
      if (form.dataset.quiet === "clear") form.reset(); // what was said; what is picked stays
      else {
        $("#choices")?.removeAttribute("open");
        chosen = [];
      }
    }
    await refresh();
  } catch {
    notice("The server cannot be reached just now. Nothing was sent; please try again.");
  } finally {
    mark(address, false);
    button?.removeAttribute("aria-busy");
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.quiet !== undefined) {
    event.preventDefault();
    // One decision at a time; what else is asked or said meanwhile is not lost.
    if (!sending.has(form.getAttribute("action"))) send(form, event.submitter);
  } else if (form.getAttribute("method") === "post") {
    event.submitter?.setAttribute("aria-busy", "true");
    say("One moment.");
  }
});

// Hint and rules

function quietHint() {
  const box = $("#hint");
  if (box) box.hidden = true;
}

async function hint() {
  const link = $("[data-hint]");
  const box = $("#hint");
  if (!link || !box) return;
  link.setAttribute("aria-busy", "true");
  const answer = await fetch(link.href, { headers: { "X-Fragment": "1" } }).catch(() => null);
  link.removeAttribute("aria-busy");
  if (!answer?.ok) return notice("There is no hint just now.");
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  box.replaceChildren(...fresh.body.childNodes);
  box.hidden = false;
  if (innerWidth < 1000) takeBack();
  return undefined;
}

// A hint that is clicked is picked on the board, to be confirmed like any other choice.
function suggest(key) {
  const action = legal.find((one) => one.button.value === key);
  if (!action) return false;
  if (innerWidth < 1000) quietHint();
  chosen = action.picks.every(thing) ? [...action.picks] : [];
  arm();
  const go = $(`:is(#confirm, .ways) button[value="${CSS.escape(key)}"]`);
  go?.scrollIntoView({ block: "nearest" });
  go?.focus();
  return true;
}

async function rules() {
  const sheet = $("#rules");
  const body = $(".rules-body", sheet);
  if (!body.childElementCount) {
    const answer = await fetch($("[data-rules]").pathname);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    body.replaceChildren(...$("article.rules", fresh).childNodes);
    for (const part of $$("[id]", body)) part.id = `rules-${part.id}`;
    for (const link of $$('a[href^="#"]', body)) link.hash = `#rules-${link.hash.slice(1)}`;
  }
  sheet.showModal();
  const topic = $(`#rules-${CSS.escape(table().dataset.topic)}`, body);
  topic?.classList.add("topic");
  topic?.scrollIntoView({ block: "start" });
}

// Clicks and keys

document.addEventListener("click", (event) => {
  const target = event.target;
  const picked = target.closest('[data-pick][role="button"]');
  if (picked) return choose(picked.dataset.pick);
  if (target.closest("[data-take-back]")) return takeBack();
  if (target.closest("[data-close-hint]")) return quietHint();
  const hinted = target.closest("[data-suggest]");
  if (hinted && suggest(hinted.value)) return event.preventDefault();
  const toggle = target.closest("[data-switch]");
  if (toggle) {
    switches[toggle.dataset.switch]();
    return showSwitches();
  }
  const opener = target.closest("[data-open]");
  if (opener) return $(`#${opener.dataset.open}`).showModal();
  const copy = target.closest("[data-copy]");
  if (copy) return copyText(copy);
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
  for (const [selector, act] of [["[data-hint]", hint], ["[data-rules]", rules]]) {
    if (plain && target.closest(selector)) {
      event.preventDefault();
      return act();
    }
  }
  const step = target.closest("a[data-step]");
  if (step && plain && $("#at")) {
    event.preventDefault();
    return goTo(Number(step.dataset.step), step.dataset.by);
  }
  if (target.nodeName === "DIALOG") return target.close(); // a click beside the sheet
  const menu = $(".menu[open]");
  if (menu && !menu.contains(target)) menu.removeAttribute("open");
  return undefined;
});

async function copyText(button) {
  const field = $(`#${button.dataset.copy}`);
  field.select();
  const done = await navigator.clipboard?.writeText(field.value).then(() => true, () => false);
  notice(done ? "Copied." : "Press Ctrl+C to copy the marked link.", 3);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// To the nearest thing in that direction.
function walk([dx, dy]) {
  const places = $$('[data-pick][role="button"], #confirm button, .ways button').filter((e) => e.checkVisibility());
  const middle = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const here = document.activeElement;
  if (!places.includes(here)) return places[0]?.focus();
  const [x, y] = middle(here);
  const far = (element) => {
    const [ex, ey] = middle(element);
    const ahead = (ex - x) * dx + (ey - y) * dy;
    const aside = Math.abs((ex - x) * dy) + Math.abs((ey - y) * dx);
    return ahead > 4 ? ahead + 2.5 * aside : Infinity;
  };
  const best = places.reduce((one, other) => (far(other) < far(one) ? other : one), here);
  if (far(best) < Infinity) best.focus();
  return undefined;
}

const keys = {
  u: () => $("[data-undo]")?.click(),
  h: hint,
  r: rules,
  a() {
    const menu = $("#choices");
    if (!menu) return;
    menu.open = !menu.open;
    $(menu.open ? "button" : "summary", menu).focus();
  },
  "?": () => $("#keys")?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (!table() || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  const at = document.activeElement;
  if (at.matches("input, textarea, select")) return;
  if (event.key === "Escape") {
    const menu = $(".menu[open]");
    if (menu) {
      menu.open = false;
      $("summary", menu).focus();
    } else {
      quietHint();
      takeBack();
    }
  } else if ((event.key === "Enter" || event.key === " ") && at.matches("[data-pick]")) {
    event.preventDefault();
    choose(at.dataset.pick);
  } else if (ARROWS[event.key] && !at.closest(".menu, .log, .chat")) {
    event.preventDefault();
    if (!$("#at")) walk(ARROWS[event.key]);
    else if (ARROWS[event.key][0]) goTo(Number($("#at").value) + ARROWS[event.key][0]);
  } else if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});

// What stays in sight below the question, as a board's clock does, must know how tall that is.
const question = $(".ask");
if (question) new ResizeObserver(() => page.style.setProperty("--ask", `${question.offsetHeight}px`)).observe(question);

addEventListener("resize", placeConfirm);
addEventListener("scroll", placeConfirm, true);

// Replay: the slider and the step keys

function goTo(number, by = new URLSearchParams(location.search).get("by")) {
  const slider = $("#at");
  slider.value = number;
  const address = `${location.pathname}?at=${slider.value}${by === null ? "" : `&by=${by}`}`;
  history.replaceState(null, "", address);
  refresh(address);
}

document.addEventListener("input", (event) => {
  if (event.target.id === "at") goTo(Number(event.target.value));
});

// Begin

if (innerWidth < 1000) for (const strip of $$("details.others")) strip.open = false;
showSwitches();
settle();
if (table()?.dataset.live === "yes") follow();
