import { Socket } from 'node:net'
import type { Readable } from 'node:stream'

const quietMs = 500
/** How often silence is waited for: by then, everything that the process itself printed is read. */
const maxQuietChecks = 4

/** More than a pipe holds: when so much was read after the exit, nothing of the process is left. */
const pipeBytes = 4 * 1024 * 1024

export interface OutputOptions {
  stdout: Readable | null
  stderr: Readable | null
  onStdout(chunk: Uint8Array): void
  onStderr(chunk: Uint8Array): void
}

/** The output of one process. */
export interface Output {
  /** Resolves when nothing can come from stdout any more: the process has closed it, or has ended. */
  readonly stdoutClosed: Promise<void>
  /** Stops reading stdout, unless the process has ended. */
  pause(): void
  resume(): void
  /**
   * Called when the process has exited. Resolves when the pipes are empty. A process that was left
   * behind may keep them open or print for ever, so this also ends when nothing has come for a while,
   * or after a few checks. The pipes are closed then: an open one would keep this process from
   * exiting.
   */
  ended(): Promise<void>
}

/** Reads the pipes of a process. */
export const readOutput = ({ stdout, stderr, onStdout, onStderr }: OutputOptions): Output => {
  const { promise: isQuiet, resolve: stopWaiting } = Promise.withResolvers<void>()
  let chunks = 0
  let isOver = false
  let hasExited = false
  let bytesAfterExit = 0
  const read = (stream: Readable | null, onChunk: OutputOptions['onStdout']): PipeReader =>
    readPipe(stream, (chunk) => {
      if (isOver) return
      chunks += 1
      if (hasExited) bytesAfterExit += chunk.length
      onChunk(chunk)
    })
  const pipes = [read(stdout, onStdout), read(stderr, onStderr)] as const

  return {
    stdoutClosed: pipes[0].closed,
    pause() {
      if (!hasExited) pipes[0].pause()
      // Only a process that was left behind can print more.
      else if (bytesAfterExit > pipeBytes) stopWaiting()
    },
    resume: pipes[0].resume,
    async ended() {
      hasExited = true
      pipes[0].resume()
      let before = chunks
      let checks = 0
      const check = () => {
        checks += 1
        if (chunks === before || checks === maxQuietChecks) stopWaiting()
        before = chunks
      }
      // After a turn of the event loop: what came while other work blocked it is read first.
      const timer = setInterval(() => setImmediate(check), quietMs)
      await Promise.race([Promise.all(pipes.map(({ closed }) => closed)), isQuiet])
      clearInterval(timer)
      isOver = true
      for (const pipe of pipes) pipe.close()
    },
  }
}

const bufferSize = 64 * 1024

/** The reading of one pipe. */
export interface PipeReader {
  /** Resolves when the pipe is closed and everything is read. */
  readonly closed: Promise<void>
  /** Stops reading: the kernel’s buffer fills, and then the writer blocks. */
  pause(): void
  resume(): void
  /** Closes our end, although others may still have the other end open. */
  close(): void
}

/**
 * Reads a child’s output until it ends. `onChunk` gets a view of one buffer that is used again for the
 * next chunk: it is valid only during the call. This costs half as much as 'data' events, which
 * allocate each chunk.
 *
 * Node documents this way of reading only for sockets that it opens itself. For a child’s pipe it needs
 * the handle, which is not documented. Without a handle, 'data' events are used.
 */
const readPipe = (stream: Readable | null, onChunk: (chunk: Uint8Array) => void): PipeReader => {
  if (!stream) return { closed: Promise.resolve(), pause() {}, resume() {}, close() {} }
  const handle: unknown = Reflect.get(stream, '_handle')
  if (typeof handle !== 'object' || handle === null) return readEvents(stream, onChunk)
  const { promise, resolve } = Promise.withResolvers<void>()
  const buffer = Buffer.allocUnsafeSlow(bufferSize)
  const limiter = createReadLimiter((isReading) => (isReading ? socket.resume() : socket.pause()))
  const callback = (size: number) => {
    onChunk(buffer.subarray(0, size))
    if (size === bufferSize) limiter.fullChunk()
    return true
  }
  const options = { handle, readable: true, onread: { buffer, callback } }
  const socket: Socket = Reflect.construct(Socket, [options])
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    stream.destroy()
    resolve()
  })
  // The buffer gets the data, but a socket that is not flowing never reports its end.
  socket.resume()
  return {
    closed: promise,
    pause: limiter.pause,
    resume: limiter.resume,
    close: () => socket.destroy(),
  }
}

/** How many full chunks are read before other work runs: Node alone would read 32. */
const chunksAtOnce = 6

/** Decides when a pipe is read: not while it is paused, and not for long at once. */
const createReadLimiter = (setReading: (isReading: boolean) => void) => {
  let chunks = 0
  let isPaused = false

  const continueReading = () => {
    const wasHeld = chunks >= chunksAtOnce
    chunks = 0
    if (wasHeld && !isPaused) setReading(true)
  }

  return {
    fullChunk() {
      chunks += 1
      if (chunks === 1) setImmediate(continueReading)
      if (chunks === chunksAtOnce) setReading(false)
    },
    pause() {
      isPaused = true
      setReading(false)
    },
    resume() {
      isPaused = false
      if (chunks < chunksAtOnce) setReading(true)
    },
  }
}

const readEvents = (stream: Readable, onChunk: (chunk: Uint8Array) => void): PipeReader => {
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.on('data', onChunk)
  stream.on('error', () => stream.destroy())
  stream.on('close', resolve)
  return {
    closed: promise,
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    close: () => stream.destroy(),
  }
}
