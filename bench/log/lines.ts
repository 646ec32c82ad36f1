import { usage } from '../inputs/pi-old.ts'

const message = { role: 'assistant', content: [], model: 'fake-sonnet', usage }

const textOf = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

const begin = { type: 'message_start', message: { ...message, stopReason: 'pending' } }

/** The first lines of a run of Pi, up to the first delta. */
export const prelude: Uint8Array = Buffer.from(
  textOf([{ type: 'agent_start' }, { type: 'turn_start' }, begin]),
)

const words = 'the quick brown fox jumps over the lazy dog and then it reads the whole file again'
const deltaOf = (at: number): string => `${words.slice(at % 20, 40 + (at % 30))} ${at}`

const updateOf = (delta: string): object => ({
  type: 'message_update',
  usage,
  assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
})

const endOf = (text: string): object => ({
  type: 'message_end',
  message: { ...message, content: [{ type: 'text', text }], stopReason: 'stop' },
})

/** How many deltas a message has. */
const messageLength = 200

/** The output of one agent: deltas, and now and then the end of a message. */
const agentOutput = function* (): Generator<string> {
  for (let at = 1; ; at += messageLength) {
    const deltas = Array.from({ length: messageLength }, (_, index) => deltaOf(at + index))
    for (const delta of deltas) yield textOf([updateOf(delta)])
    yield textOf([endOf(deltas.join('')), begin])
  }
}

/**
 * The output of several agents in turn, one chunk each. It is all in one buffer, so that it costs the
 * garbage collector nothing.
 */
export const createChunks = (count: number, agents: number) => {
  const outputs = Array.from({ length: agents }, agentOutput)
  const texts = Array.from({ length: count }, (_, at) => {
    const next = outputs[at % agents]?.next()
    return typeof next?.value === 'string' ? next.value : ''
  })
  const bytes = Buffer.from(texts.join(''))
  const ends = new Uint32Array(count + 1)
  for (const [at, text] of texts.entries()) ends[at + 1] = (ends[at] ?? 0) + Buffer.byteLength(text)
  return {
    count,
    chunk: (at: number): Uint8Array => bytes.subarray(ends[at], ends[at + 1]),
  }
}
