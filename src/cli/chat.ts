import { type ChatLoop, createChatLoop } from './chat/chat-loop.ts'
import { showHistory } from './chat/history.ts'
import { type LocalChatOptions, openLocalChat } from './chat/local-chat.ts'
import { createScreen } from './chat/screen.ts'
import { exitCodes } from './exit.ts'
import { exitCodeOfSignal, type StopSignals, watchStopSignals } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import type { Terminal } from './terminal.ts'

export type ChatOptions = LocalChatOptions

/** `sluice chat`: a loop in the terminal over a live session. */
export const chat = async (
  options: ChatOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  // First: from here on, every signal must close what is open.
  const signals = watchStopSignals(closed)
  try {
    return await converse(options, terminal, signals)
  } finally {
    signals.stop()
  }
}

const converse = async (
  options: ChatOptions,
  terminal: Terminal,
  signals: StopSignals,
): Promise<number> => {
  const screen = createScreen(terminal)
  const { backend, sluice } = await openLocalChat(options)
  await backend.offerTrust()
  if (options.resume !== undefined) await showHistory(backend, screen)
  const loop: ChatLoop = createChatLoop({ backend, screen })
  backend.listen(loop.show)
  await loop.start()
  void signals.first.then(() => startStopDeadline(sluice))
  const signal = await Promise.race([loop.finished(), signals.first])
  if (signal !== undefined) await loop.stopNow(signals.second)
  loop.close()
  // Closing prints the last events, so it comes before the summary.
  await backend.close()
  screen.end()
  await screen.flush()
  if (signal !== undefined) return exitCodeOfSignal(signal)
  return loop.hasFailed() ? exitCodes.failed : exitCodes.done
}
