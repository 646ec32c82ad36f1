/**
 * Writes to stdout in one piece per flush, and waits when the reader is slow. A reader that went
 * away (`| head`, a closed window) is no error: `onClosed` is told, once.
 */
export const createTerminal = (stream: NodeJS.WriteStream, onClosed: () => void) => {
  let pending = ''
  let closed = false
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (closed) return
    closed = true
    onClosed()
  })

  return {
    write(text: string): void {
      pending += text
    },
    async flush(): Promise<void> {
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
export type Terminal = ReturnType<typeof createTerminal>

/** NO_COLOR and FORCE_COLOR are obeyed; without them, a terminal gets colour. */
const wantsColour = (stream: NodeJS.WriteStream): boolean => {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0'
  return stream.isTTY === true && process.env.TERM !== 'dumb'
}
