import type { Socket } from 'node:net'
import type { HookMessage } from '../agents/hooks.ts'
import { openPrivateSocket, type PrivateSocket } from '../files/private-socket.ts'
import { type HookHead, type HookSender, readHead, readMessage } from './read-hook.ts'

/** A question that a hook waits with. */
export interface HookQuestion {
  /** What the hook prints; undefined: nothing, so that the agent asks in its terminal. */
  readonly output: Promise<string | undefined>
  /** The hook is gone: nobody waits for the answer any more. */
  leave(): void
}

/** Takes what hooks send. It can open questions and report; it cannot answer anything. */
export type ReceiveHook = (message: HookMessage, sender: HookSender) => HookQuestion | undefined

export const hookSocketName = 'hooks.sock'

const maxConnections = 256
const maxHeadBytes = 4096
const maxInputBytes = 16 * 1024 * 1024
/** How much may be in memory of messages that are not complete. */
const maxPendingBytes = 64 * 1024 * 1024
/** How long a hook may take to send its message. */
const sendMs = 5000
/** A hook that hears nothing for 20 s takes the server for gone. */
const lifeSignMs = 5000

/**
 * Opens the socket that hooks connect to, in the data directory. It is private, as the control socket
 * is, but nobody gets in through it: whoever connects can only ask and report.
 */
export const openHookSocket = (data: string, receive: ReceiveHook): Promise<PrivateSocket> => {
  const pending = { bytes: 0 }
  return openPrivateSocket(data, {
    ...{ name: hookSocketName, maxConnections },
    onConnection: (socket) => void readConnection(socket, receive, pending),
  })
}

const readConnection = (socket: Socket, receive: ReceiveHook, pending: { bytes: number }): void => {
  let chunks: Buffer[] = []
  let length = 0
  let head: HookHead | undefined
  let headBytes = 0
  let isRead = false

  const finish = (): void => {
    isRead = true
    clearTimeout(timer)
    pending.bytes -= length
    chunks = []
    length = 0
  }
  const timer = setTimeout(() => socket.destroy(), sendMs)
  /** False if the message is none, or too large. */
  const add = (chunk: Buffer): boolean => {
    chunks.push(chunk)
    length += chunk.length
    pending.bytes += chunk.length
    if (pending.bytes > maxPendingBytes) return false
    if (head) return true
    const bytes = Buffer.concat(chunks)
    const end = bytes.indexOf(10)
    if (end === -1) return bytes.length <= maxHeadBytes
    head = readHead(bytes.toString('utf8', 0, end))
    headBytes = end + 1
    return head !== undefined && head.length <= maxInputBytes
  }

  socket.on('data', (chunk: Buffer) => {
    if (isRead) return
    if (!add(chunk)) {
      finish()
      socket.destroy()
      return
    }
    if (!head || length < headBytes + head.length) return
    const text = Buffer.concat(chunks).toString('utf8', headBytes, headBytes + head.length)
    finish()
    respond(socket, text, head, receive)
  })
  socket.on('close', finish)
}

/** Accepts a message. For a question, signs of life follow, and the answer. */
const respond = (socket: Socket, text: string, head: HookHead, receive: ReceiveHook): void => {
  const message = readMessage(text, head)
  const question = message && receive(message, head)
  if (!question) return void socket.end('{}\n')
  socket.write('{}\n')
  const lifeSigns = setInterval(() => socket.write('\n'), lifeSignMs)
  socket.on('close', () => {
    clearInterval(lifeSigns)
    question.leave()
  })
  void question.output.then((output) => {
    if (output === undefined) socket.end()
    else socket.end(`${JSON.stringify({ output })}\n`)
  })
}
