import { createInterface, emitKeypressEvents, type Key } from 'node:readline'

export interface LineInputOptions {
  onLine(text: string): void
  /** Alt-Enter. */
  onLater(text: string): void
  /** Ctrl-C. */
  onInterrupt(): void
}

/** Lines that a person types, or that another program pipes in. */
export const createLineInput = (options: LineInputOptions) => {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true
  const reader = createInterface({
    input: stdin,
    prompt: '› ',
    ...(isTerminal && { output: stdout }),
  })
  const { promise: closed, resolve } = Promise.withResolvers<void>()

  if (isTerminal) {
    emitKeypressEvents(stdin, reader)
    stdin.on('keypress', (_: string | undefined, key: Key) => {
      if (key.name !== 'return' || key.meta !== true) return
      const text = reader.line.trim()
      reader.write(null, { ctrl: true, name: 'u' })
      stdout.write('\n')
      options.onLater(text)
    })
  }
  reader.on('line', (line) => options.onLine(line.trim()))
  reader.on('SIGINT', options.onInterrupt)
  reader.on('close', resolve)

  return {
    prompt(): void {
      if (isTerminal) reader.prompt()
    },
    close: () => reader.close(),
    /** Settles when no more lines will come. */
    closed,
  }
}
