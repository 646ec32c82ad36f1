import { createInterface } from 'node:readline'
import type { CompletionSources } from './editor/complete-input.ts'
import { createTerminalInput, promptLabels } from './editor/terminal-input.ts'
import { untilQuiet } from './editor/until-quiet.ts'
import type { Terminal } from './terminal.ts'

/** A line that was sent. */
export interface SentLine {
  text: string
  /** Whether any of it was pasted. */
  isPasted: boolean
  /** Alt-Enter: deliver it when the run is over. */
  isFollowUp: boolean
}

export interface LineInputOptions {
  terminal: Terminal
  /** Where messages are stored for later chats; undefined to store none. */
  historyFile: string | undefined
  completion: CompletionSources
  onLine(line: SentLine): void
  /** Whether Alt-Enter queues a message. Otherwise it begins a new line. */
  canQueue(): boolean
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
  /** Shows the prompt, with text to go on with. Returns whether the cursor is left behind it. */
  prompt(purpose: LinePurpose, draft?: string): boolean
  /** Removes what was typed and not sent, and returns it. If there was any, the cursor is on a new row. */
  takeDraft(): string
  /** Resolves when no key was pressed for a moment, so a key that comes now was meant for now. */
  quiet(): Promise<void>
  close(): void
}

/** The line editor in a terminal; elsewhere lines as they come. */
export const createLineInput = (options: LineInputOptions): LineInput => {
  const isScreen = process.stdin.isTTY && process.stdout.isTTY && process.env.TERM !== 'dumb'
  return isScreen ? createTerminalInput(options) : createPlainInput(options)
}

/** Whole lines: from a pipe, or from a terminal that cannot move the cursor. */
const createPlainInput = (options: LineInputOptions): LineInput => {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true
  const reader = createInterface({ input: stdin, terminal: false })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let isClosed = false
  let lastLineAt = 0

  reader.on('line', (line) => {
    lastLineAt = performance.now()
    options.onLine({ text: line.trim(), isPasted: false, isFollowUp: false })
  })
  const end = () => {
    isClosed = true
    resolve()
  }
  reader.on('close', end)
  reader.on('error', end) // the terminal window was closed

  return {
    isTerminal,
    closed,
    prompt(purpose) {
      if (!isTerminal || isClosed) return false
      stdout.write(promptLabels[purpose])
      return true
    },
    takeDraft: () => '',
    quiet: async () => (isTerminal ? untilQuiet(() => lastLineAt) : undefined),
    close: () => reader.close(),
  }
}
