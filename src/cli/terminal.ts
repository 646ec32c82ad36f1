import { inspect } from 'node:util'
import { cleanJson, cleanText } from './clean-text.ts'
import { createFooterSlot, type Footer } from './footer.ts'

/**
 * Buffered output to stdout. It is the edge to the screen: whatever is written here cannot control a
 * terminal, wherever the text came from.
 */
export interface Terminal {
  /** Adds text, cleaned; nothing is written before `flush`. A colour ends with its piece. */
  write(text: string): void
  /** Adds a value as JSON and ends the line. Characters that a screen hides are escaped. */
  writeJson(value: unknown, indent?: number): void
  /** Writes what was added, and waits while the reader is slow. */
  flush(): Promise<void>
  /** How many bytes wait for the reader. */
  waiting(): number
  /** Whether the reader is gone (`| head`, a closed window). */
  isClosed(): boolean
  /** Whether to use colour: NO_COLOR and FORCE_COLOR decide, then whether it is a terminal. */
  colour(): boolean
  /** The size of the screen in characters; undefined when nobody looks at one. */
  size(): { rows: number; columns: number } | undefined
  /**
   * Shows rows below the output, which then comes in whole lines above them; undefined removes them.
   * They are written as they are: the code that draws them cleans them.
   */
  setFooter(footer: Footer | undefined): void
  /** Writes rows in place of the footer. They stay on the screen. */
  leaveFooter(rows: string): void
  /** Empties the screen, except for the footer. */
  clearScreen(): void
}

/** Writes to a stream. When its reader goes away, it calls `onClosed` once instead of failing. */
export const createTerminal = (stream: NodeJS.WriteStream, onClosed: () => void): Terminal => {
  let pending = ''
  let before = ''
  let closed = false
  /** Resolves when the reader has read everything; shared by all that wait for it. */
  let drained: Promise<void> | undefined
  const footers = createFooterSlot()
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (closed) return
    closed = true
    onClosed()
  })

  const flush = async (): Promise<void> => {
    // Above a footer, only whole lines are printed.
    const length = footers.isShown() ? pending.lastIndexOf('\n') + 1 : pending.length
    const text = pending.slice(0, length)
    pending = pending.slice(length)
    if (text === '' || closed || stream.write(footers.withOutput(text))) return
    drained ??= untilDrained(stream).finally(() => {
      drained = undefined
    })
    await drained
  }
  const writeNow = (text: string): void => {
    if (text !== '' && !closed) stream.write(text)
    void flush()
  }

  return {
    write(text) {
      pending += cleanText(text, { isColoured: wantsColour(stream), before })
      if (text !== '') before = text.slice(-2)
    },
    writeJson(value, indent) {
      pending += `${cleanJson(JSON.stringify(value, undefined, indent))}\n`
    },
    flush,
    waiting: () => (closed ? 0 : stream.writableLength),
    isClosed: () => closed,
    colour: () => wantsColour(stream),
    // A terminal that does not know its size says 0.
    size: () =>
      stream.isTTY ? { rows: stream.rows || 24, columns: stream.columns || 80 } : undefined,
    setFooter: (footer) => writeNow(footers.change(footer)),
    leaveFooter: (rows) => writeNow(footers.leave(rows)),
    clearScreen: () => writeNow(footers.clear()),
  }
}

const untilDrained = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.on('drain', done)
    stream.on('close', done)
  })

const wantsColour = (stream: NodeJS.WriteStream): boolean => {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0'
  return stream.isTTY === true && process.env.TERM !== 'dumb'
}

/** Prints a line of our own on stderr: what went wrong, or what happens now. */
export const printError = (text: string): void => printRawError(`sluice: ${text}\n`)

/** Prints an error of our own, with its stack. */
export const printUnexpected = (error: unknown): void => printRawError(`${inspect(error)}\n`)

/** Prints text on stderr, cleaned. */
export const printRawError = (text: string): void =>
  void process.stderr.write(cleanText(text, { isColoured: wantsColour(process.stderr) }))
