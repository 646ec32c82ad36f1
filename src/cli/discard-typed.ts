import { setTimeout as pause } from 'node:timers/promises'

/** Nobody reads a question and answers it in less. */
export const quietMs = 200

/** Drops what was typed before a question appears, so that it cannot answer the question. */
export const discardTyped = async (): Promise<void> => {
  const { stdin } = process
  if (!stdin.isTTY) return
  let lastAt = performance.now()
  const drop = () => {
    lastAt = performance.now()
  }
  const left = () => quietMs - (performance.now() - lastAt)
  stdin.on('data', drop)
  while (left() > 0) await pause(left())
  stdin.off('data', drop)
  stdin.pause()
}
