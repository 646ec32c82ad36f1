import type { AgentEvent } from '../events/types.ts'
import { printError } from './terminal.ts'

/** Watches whether a program opens a session, because a wrong command would only be silent. */
export interface StartWatch {
  observe(event: AgentEvent): void
  /** Resolves with the reason when the program is no agent. */
  readonly wrong: Promise<string>
  close(): void
}

/** How long a program may be silent before Sluice prints what to check. */
const silentMs = 5000
/** When a program is given up that has only printed lines of something else. */
const wrongMs = 10_000

export const watchStart = (title: string): StartWatch => {
  const { promise: wrong, resolve } = Promise.withResolvers<string>()
  let strangeLines = 0
  const timers = [
    setTimeout(() => {
      const what = strangeLines > 0 ? 'printed only lines that are not ACP' : 'has not answered'
      printError(`${title} ${what} for ${silentMs / 1000} seconds. ${advice} Ctrl-C ends it.`)
    }, silentMs),
    setTimeout(() => {
      if (strangeLines > 0)
        resolve(`${title} opened no session: it printed lines that are not ACP. ${advice}`)
    }, wrongMs),
  ]
  const close = () => timers.forEach(clearTimeout)
  return {
    observe(event) {
      if (event.type === 'raw' || (event.type === 'error' && event.code === 'malformed_line'))
        strangeLines += 1
      else close()
    },
    wrong,
    close,
  }
}

const advice =
  'Check that the command starts an agent that speaks ACP. Many agents need an argument such as acp or --acp.'
