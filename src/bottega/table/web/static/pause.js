// Waiting before something is tried again: longer each time, and not at the same moment everywhere.

const LONGEST = 30; // seconds

export function pause(failures) {
  const seconds = Math.min(2 ** (failures - 1), LONGEST) * (0.75 + Math.random() / 2);
  return new Promise((resolve) => { setTimeout(resolve, 1000 * seconds); });
}

// What is refused for now may be answered later; another refusal stands.
export const passes = ({ status }) => status >= 500 || status === 429;
