import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentEvent } from '../../src/events/types.ts'
import { createRecorder } from '../../src/session/recording/recorder.ts'
import { createText } from '../inputs/text.ts'
import type { BenchOptions } from '../part.ts'
import { medianAtMost, printTitle, type Row } from '../report.ts'
import { openStreams } from './open-streams.ts'

/** An answer of a model, and how fast it comes. */
interface Answer {
  about: string
  deltas: number
  perSecond: number
  headers?: string
  goal: number
}

const answers: readonly Answer[] = [
  { about: '200 KB at 2,000 deltas a second', deltas: 4000, perSecond: 2000, goal: 2.3 },
  {
    about: '20 KB at 100 deltas a second, gzip',
    deltas: 400,
    perSecond: 100,
    headers: 'Accept-Encoding: gzip\r\n',
    goal: 2.3,
  },
]

/** Compares the bytes of a long answer on the wire with the bytes of its text. */
export const runWireBytes = async (_: BenchOptions): Promise<Row[]> => {
  printTitle(
    'sse-bytes',
    'bytes of an answer on the wire (deltas of 50 characters, then the whole) over its own size',
  )
  const rows: Row[] = []
  for (const answer of answers) {
    const { bytes, text } = await send(answer)
    const kb = (value: number) => `${(value / 1000).toFixed(0)} kB`
    rows.push(
      medianAtMost(answer.about, answer.goal, 'x', [bytes / text], `${kb(bytes)} : ${kb(text)}`),
    )
  }
  return rows
}

const send = async ({ deltas, perSecond, headers = '' }: Answer) => {
  const { streams, server, log } = await openStreams()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)
  const closed = once(socket, 'close')
  await once(socket, 'data') // the head and the snapshot
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  const recorder = createRecorder({
    sessionId: 's',
    after: 0,
    now: Date.now,
    append: (events) => log.append('s', events),
    publish: streams.publish,
    onFailure(cause) {
      throw cause
    },
  })
  const parts = createText(1).deltas(deltas, 50)
  const began = performance.now()
  recorder.push([{ type: 'message_start', messageRole: 'assistant', messageId: 'm' }])
  for (const [at, delta] of parts.entries()) {
    recorder.push([deltaOf(delta)])
    const ahead = (at * 1000) / perSecond - (performance.now() - began)
    if (ahead > 1) await pause(ahead)
  }
  recorder.push([endOf(parts.join(''))])
  await recorder.close()
  await streams.close()
  await closed
  server.close()
  return { bytes, text: Buffer.byteLength(parts.join('')) }
}

const deltaOf = (delta: string): AgentEvent => ({
  type: 'message_update',
  messageId: 'm',
  assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
})

const endOf = (text: string): AgentEvent => ({
  type: 'message_end',
  messageId: 'm',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
})
