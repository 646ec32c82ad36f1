export interface RawInputOptions {
  onText(chunk: string): void
  /** The terminal is gone. */
  onEnd(): void
  /** The size of the screen has changed, or the screen must be drawn again. */
  onResize(): void
}

/** Keys of a terminal as they are pressed, with pastes marked. */
export interface RawInput {
  /** Stops this process until the shell continues it (Ctrl-Z). */
  suspend(): void
  /** The terminal is as it was before. */
  close(): void
}

const pasteMarks = { on: '\x1b[?2004h', off: '\x1b[?2004l' }

export const openRawInput = ({ onText, onEnd, onResize }: RawInputOptions): RawInput => {
  const { stdin, stdout } = process

  const enter = (): void => {
    stdin.setRawMode(true)
    stdout.write(pasteMarks.on)
  }
  const leave = (): void => {
    // A terminal that is gone cannot be set back.
    if (stdout.writable) stdout.write(pasteMarks.off)
    if (!stdin.destroyed) stdin.setRawMode(false)
  }
  const resume = (): void => {
    enter()
    onResize()
  }

  enter()
  stdin.setEncoding('utf8')
  stdin.on('data', onText)
  for (const event of ['end', 'close', 'error']) stdin.on(event, onEnd)
  stdout.on('resize', onResize)
  process.on('SIGCONT', resume)
  process.on('exit', leave)
  stdin.resume()

  return {
    suspend() {
      leave()
      process.kill(process.pid, 'SIGTSTP')
    },
    close() {
      stdin.off('data', onText)
      stdout.off('resize', onResize)
      process.off('SIGCONT', resume)
      process.off('exit', leave)
      stdin.pause()
      leave()
    },
  }
}
