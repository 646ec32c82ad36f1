import { setTimeout as pause } from 'node:timers/promises'

/** Nobody reads a question and answers it in less. */
const quietMs = 200

/** Resolves when no key was pressed for a moment and nothing is being pasted. */
export const untilQuiet = async (
  lastKeyAt: () => number,
  isPasting: () => boolean = () => false,
): Promise<void> => {
  const start = performance.now()
  const left = () => quietMs - (performance.now() - Math.max(start, lastKeyAt()))
  while (left() > 0 || isPasting()) await pause(Math.max(10, left()))
}
