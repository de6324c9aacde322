// An ended game step by step: the slider, the step links, and by itself.

import { refresh, upToDate } from "./load.js";
import { $, onClick, onLink } from "./page.js";
import { say } from "./voice.js";

export function goTo(number, by = new URLSearchParams(location.search).get("by")) {
  const slider = $("#at");
  slider.value = number;
  const address = `${location.pathname}?at=${slider.value}${by === null ? "" : `&by=${by}`}`;
  history.replaceState(null, "", address);
  refresh(address);
}

document.addEventListener("input", (event) => {
  if (event.target.id === "at") goTo(Number(event.target.value));
});

// By itself, one step after the other, at the chosen speed.
let playing = false;

async function autoplay() {
  playing = !playing;
  showPlaying();
  if (playing && $("#at").value === $("#at").max) goTo(0);
  while (playing) {
    await new Promise((resolve) => { setTimeout(resolve, Number($("#tempo").value)); });
    await upToDate();
    if (!playing) return;
    const next = Number($("#at").value) + 1;
    if (next > Number($("#at").max)) {
      playing = false;
      showPlaying();
      return;
    }
    goTo(next);
  }
}

function showPlaying() {
  $("[data-autoplay]").setAttribute("aria-pressed", playing);
  say(playing ? "It plays by itself." : "Paused.");
}

onClick("[data-autoplay]", autoplay);
onLink("[data-at] a[data-step]", (link) => goTo(Number(link.dataset.step), link.dataset.by));
