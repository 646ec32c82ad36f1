/** Buffered output to stdout. */
export interface Terminal {
  /** Adds text; nothing is written before `flush`. */
  write(text: string): void
  /** Writes what was added, and waits while the reader is slow. */
  flush(): Promise<void>
  /** Whether the reader is gone (`| head`, a closed window). */
  isClosed(): boolean
  /** Whether to use colour: NO_COLOR and FORCE_COLOR decide, then whether it is a terminal. */
  colour(): boolean
}

/** Writes to a stream. When its reader goes away, it calls `onClosed` once instead of failing. */
export const createTerminal = (stream: NodeJS.WriteStream, onClosed: () => void): Terminal => {
  let pending = ''
  let closed = false
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (closed) return
    closed = true
    onClosed()
  })

  return {
    write(text) {
      pending += text
    },
    async flush() {
      const text = pending
      pending = ''
      if (text === '' || closed || stream.write(text)) return
      await new Promise<void>((resolve) => {
        const done = () => {
          stream.off('drain', done)
          stream.off('close', done)
          resolve()
        }
        stream.on('drain', done)
        stream.on('close', done)
      })
    },
    isClosed: () => closed,
    colour: () => wantsColour(stream),
  }
}

const wantsColour = (stream: NodeJS.WriteStream): boolean => {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0'
  return stream.isTTY === true && process.env.TERM !== 'dumb'
}
