// Following the table: what others do is loaded when the server says that there is something new.

import { refresh } from "./load.js";
import { page, table } from "./page.js";
import { notice } from "./voice.js";

export function follow() {
  const { table: url, seq } = table().dataset;
  const source = new EventSource(`${url}/events?seq=${seq}`);
  source.addEventListener("update", (event) => {
    if (event.data !== table().dataset.seq) refresh();
  });
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
