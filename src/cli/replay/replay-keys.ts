import { emitKeypressEvents, type Key } from 'node:readline'
import type { ReplayClock } from './replay-clock.ts'

/** Lets a person control a replay by single keys. Returns the undo. */
export const watchReplayKeys = (clock: ReplayClock, onInterrupt: () => void): (() => void) => {
  const { stdin } = process
  const onKey = (_: string | undefined, { name, ctrl, sequence }: Key): void => {
    if (ctrl && name === 'c') onInterrupt()
    else if (name === 'q' || (ctrl && name === 'd')) clock.stop()
    else if (name === 'space') clock.togglePause()
    else if (name === 'return' || name === 'right' || name === 'n') clock.step()
    else if (sequence === '+') clock.faster(2)
    else if (sequence === '-') clock.faster(0.5)
  }
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.resume()
  stdin.on('keypress', onKey)
  return () => {
    stdin.off('keypress', onKey)
    stdin.setRawMode(false)
    stdin.pause()
  }
}
