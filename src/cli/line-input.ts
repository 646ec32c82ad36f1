import { createInterface, emitKeypressEvents, type Key } from 'node:readline'

export interface LineInputOptions {
  onLine(text: string): void
  /** Alt-Enter: deliver when the run is over. */
  onFollowUp(text: string): void
  /** Ctrl-C. */
  onInterrupt(): void
}

/** Lines that a person types, or that another program pipes in. */
export interface LineInput {
  /** Whether a person types. */
  readonly isTerminal: boolean
  /** Resolves when no more lines will come. */
  readonly closed: Promise<void>
  /** Prints the prompt; false where nobody would see it. */
  prompt(): boolean
  close(): void
}

export const createLineInput = (options: LineInputOptions): LineInput => {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true
  const reader = createInterface({
    input: stdin,
    prompt: '› ',
    ...(isTerminal && { output: stdout }),
  })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let isClosed = false

  if (isTerminal) {
    emitKeypressEvents(stdin, reader)
    stdin.on('keypress', (_: string | undefined, key: Key) => {
      if (key.name !== 'return' || key.meta !== true) return
      const text = reader.line.trim()
      reader.write(null, { ctrl: true, name: 'u' })
      stdout.write('\n')
      options.onFollowUp(text)
    })
  }
  reader.on('line', (line) => options.onLine(line.trim()))
  reader.on('SIGINT', options.onInterrupt)
  const end = () => {
    isClosed = true
    resolve()
  }
  reader.on('close', end)
  reader.on('error', end) // the terminal window was closed

  return {
    isTerminal,
    closed,
    prompt() {
      if (isTerminal && !isClosed) reader.prompt()
      return isTerminal && !isClosed
    },
    close: () => reader.close(),
  }
}
