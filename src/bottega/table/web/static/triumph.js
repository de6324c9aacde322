// Winning is a moment; then come the standings.

import { $, onClick } from "./page.js";
import { still } from "./switches.js";
import { ring } from "./voice.js";

const MOMENT = 3400;

export function celebrate() {
  ring("end");
  const scene = $("#triumph");
  if (!scene || still() || document.hidden) return;
  scene.dataset.playing = "";
  setTimeout(endMoment, MOMENT);
}

function endMoment() {
  const scene = $("#triumph[data-playing]");
  if (!scene || scene.dataset.playing === "out") return;
  scene.dataset.playing = "out";
  setTimeout(() => { delete scene.dataset.playing; }, 320);
}

onClick("#triumph", endMoment);
document.addEventListener("keydown", endMoment);
