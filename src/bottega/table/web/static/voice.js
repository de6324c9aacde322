// What the page says and sounds.

import { $ } from "./page.js";

export const say = (text) => { $("#live").textContent = text; };

// What goes wrong is shown as long as it does; a notice for a while, also in front of that.
const troubles = new Map();
let noticeTimer;

export function notice(text, seconds = 6) {
  show(text);
  noticeTimer = setTimeout(showTrouble, seconds * 1000);
}

export function trouble(what, said = "") {
  if (said === (troubles.get(what) ?? "")) return;
  troubles.set(what, said);
  showTrouble();
}

const showTrouble = () => show([...troubles.values()].find(Boolean) ?? "");

function show(text) {
  clearTimeout(noticeTimer);
  const box = $("#notice");
  box.textContent = text;
  box.hidden = !text;
}

const TONES = { pick: [520], news: [330], turn: [440, 660], end: [440, 554, 659, 880] };
const VOLUME = 0.045; // low: it is on until it is switched off
let audio;
export let heard = true;

export const beHeard = (loud) => { heard = loud; };

// Browsers let a page sound only once somebody has clicked or typed.
for (const touch of ["pointerdown", "keydown"]) {
  document.addEventListener(touch, () => { if (heard) audio ??= new AudioContext(); }, { capture: true });
}

export function ring(what) {
  if (!heard || !audio) return;
  TONES[what].forEach((pitch, index) => {
    const from = audio.currentTime + index * 0.09;
    const tone = new OscillatorNode(audio, { frequency: pitch, type: "triangle" });
    const volume = new GainNode(audio, { gain: VOLUME });
    volume.gain.setValueAtTime(VOLUME, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 0.16);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.17);
  });
}
