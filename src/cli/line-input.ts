import { createInterface, emitKeypressEvents, type Key } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { quietMs } from './discard-typed.ts'

export interface LineInputOptions {
  onLine(text: string): void
  /** Alt-Enter: deliver when the run is over. */
  onFollowUp(text: string): void
  /** Ctrl-C. */
  onInterrupt(): void
}

/** What a line is for: a message to the agent, the answer to a question, or the next page of one. */
export type LinePurpose = 'message' | 'answer' | 'page'

/** Lines that a person types, or that another program pipes in. */
export interface LineInput {
  /** Whether a person types. */
  readonly isTerminal: boolean
  /** Resolves when no more lines will come. */
  readonly closed: Promise<void>
  /** Prints the prompt, with text to go on with; false where nobody would see it. */
  prompt(purpose: LinePurpose, draft?: string): boolean
  /** Removes what was typed and not sent, and returns it. If there was any, the cursor is on a new row. */
  takeDraft(): string
  /** Resolves when no key was pressed for a moment, so a key that comes now was meant for now. */
  quiet(): Promise<void>
  close(): void
}

const prompts = { message: '› ', answer: 'answer › ', page: 'more › ' }

export const createLineInput = (options: LineInputOptions): LineInput => {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true
  const reader = createInterface({ input: stdin, ...(isTerminal && { output: stdout }) })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let isClosed = false
  let purpose: LinePurpose = 'message'
  let lastKeyAt = 0

  const takeDraft = (): string => {
    if (!isTerminal || isClosed) return ''
    const { line } = reader
    if (line === '') return ''
    // The editor clears the row that it is on, and prints its prompt there.
    stdout.write('\n')
    reader.setPrompt('')
    reader.write(null, { ctrl: true, name: 'e' })
    reader.write(null, { ctrl: true, name: 'u' })
    return line
  }

  const onKey = (_: string | undefined, key: Key): void => {
    lastKeyAt = performance.now()
    if (key.name === 'return' && key.meta === true) {
      options.onFollowUp(takeDraft().trim())
    } else if (purpose === 'page' && /^[ d]$/i.test(reader.line)) {
      options.onLine(takeDraft().trim())
    }
  }

  if (isTerminal) {
    emitKeypressEvents(stdin, reader)
    stdin.on('keypress', onKey)
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
    prompt(next, draft = '') {
      purpose = next
      if (!isTerminal || isClosed) return false
      reader.setPrompt(prompts[purpose])
      reader.prompt()
      if (draft !== '') reader.write(draft)
      return true
    },
    takeDraft,
    async quiet() {
      if (!isTerminal) return
      const start = performance.now()
      const left = () => quietMs - (performance.now() - Math.max(start, lastKeyAt))
      while (left() > 0) await pause(left())
    },
    close: () => reader.close(),
  }
}
