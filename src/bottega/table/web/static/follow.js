// Following the table: what others do is loaded when the server says that there is something new.

import { hear, refresh } from "./load.js";
import { table } from "./page.js";
import { pause } from "./pause.js";
import { trouble } from "./voice.js";

let failures = 0; // since it was last followed

export function follow() {
  const { table: url, seq } = table().dataset;
  const source = new EventSource(`${url}/events?seq=${seq}`);
  let lost = failures > 0;
  source.addEventListener("update", (event) => hear(event.data));
  source.addEventListener("renewed", () => { // the link of the seat: whoever still holds it goes on
    source.close();
    follow();
  });
  source.onopen = async () => {
    const missed = lost;
    lost = false;
    failures = 0;
    if (missed) await refresh();
    if (!lost) trouble("following");
  };
  source.onerror = async () => {
    lost = true;
    trouble("following", "The connection is lost. Trying again…");
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    failures += 1;
    await pause(failures);
    await refresh(); // or the page of the error, if there is nothing to follow any more
    follow();
  };
}
