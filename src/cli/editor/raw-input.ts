export interface RawInputOptions {
  /** The terminal that shows what is typed. */
  output: NodeJS.WriteStream
  onText(chunk: string): void
  /** The terminal is gone. */
  onEnd(): void
  /** Draws the input: the size of the screen has changed, or it was hidden. */
  draw(): void
  /** Removes the input from the screen. */
  hide(): void
}

/** Keys of a terminal as they are pressed, with pastes marked. */
export interface RawInput {
  /** Hides the input, and stops this process until the shell continues it (Ctrl-Z). */
  suspend(): void
  /** The terminal is as it was before. */
  close(): void
}

const ends = ['end', 'close', 'error'] as const
const pasteMarks = { on: '\x1b[?2004h', off: '\x1b[?2004l' }

export const openRawInput = ({ output, onText, onEnd, draw, hide }: RawInputOptions): RawInput => {
  const { stdin } = process

  const enter = (): void => {
    stdin.setRawMode(true)
    if (output.isTTY) output.write(pasteMarks.on)
  }
  const leave = (): void => {
    // A terminal that is gone cannot be set back.
    if (output.isTTY && output.writable) output.write(pasteMarks.off)
    if (!stdin.destroyed) stdin.setRawMode(false)
  }
  const resume = (): void => {
    enter()
    // Other programs may have written to the screen.
    hide()
    draw()
  }

  enter()
  stdin.setEncoding('utf8')
  stdin.on('data', onText)
  // These stay: an error of a terminal that is gone must not end the program.
  for (const event of ends) stdin.on(event, onEnd)
  output.on('resize', draw)
  process.on('SIGCONT', resume)
  process.on('exit', leave)
  stdin.resume()

  return {
    suspend() {
      hide()
      leave()
      process.kill(process.pid, 'SIGTSTP')
    },
    close() {
      stdin.off('data', onText)
      output.off('resize', draw)
      process.off('SIGCONT', resume)
      process.off('exit', leave)
      stdin.pause()
      leave()
    },
  }
}
