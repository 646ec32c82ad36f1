import { type Fill, jsonLine, type Write } from './file.ts'
import { createText, type Text } from './text.ts'

/** Tokens so far, in the key order of the wire. */
const usageOf = (output: number) => ({
  input: 12,
  output,
  cacheRead: 8932,
  cacheWrite: 70,
  totalTokens: 9014 + output,
  cost: {
    input: 0.000036,
    output: output * 0.000015,
    cacheRead: 0.0026796,
    cacheWrite: 0.0002625,
    total: 0.0029781 + output * 0.000015,
  },
  cacheWrite1h: 0,
})

/** Pi from 0.87 on: usage before the event, no snapshots; a few hundred deltas per message. */
export const piNew: Fill = (write, scale) => session(write, Math.round(1000 * scale), () => 1)

/** The same from a model that counts tokens with every delta, so that no two lines start alike. */
export const piUsageChanges: Fill = (write, scale) =>
  session(write, Math.round(500 * scale), (delta) => delta)

const session = (write: Write, messages: number, outputAt: (delta: number) => number) => {
  const text = createText(2)
  write(jsonLine({ type: 'session', version: 3, id: '01a1ddf8', cwd: '/home/dev/project' }))
  write(jsonLine({ type: 'agent_start' }))
  for (let at = 0; at < messages; at += 1) turn(write, text, `toolu_${at}`, outputAt)
  write(jsonLine({ type: 'agent_end', messages: [], willRetry: false }))
  write(jsonLine({ type: 'agent_settled' }))
}

const turn = (write: Write, text: Text, id: string, outputAt: (delta: number) => number) => {
  const about = {
    api: 'anthropic-messages',
    provider: 'fake',
    model: 'fake-sonnet',
    stopReason: 'toolUse',
    timestamp: 1794725385313,
    responseId: `msg_${id}`,
  }
  let deltas = 0
  const update = (assistantMessageEvent: object) =>
    write(
      jsonLine({ type: 'message_update', usage: usageOf(outputAt(deltas)), assistantMessageEvent }),
    )
  const block = (kind: string, contentIndex: number, pieces: string[]) => {
    for (const delta of pieces) {
      deltas += 1
      update({ type: `${kind}_delta`, contentIndex, delta })
    }
  }

  const thinking = text.deltas(40, 30)
  const answer = text.deltas(240, 40)
  const args = { command: text.units(300) }
  const call = { type: 'toolCall', id, name: 'bash', arguments: args }
  const content = [
    { type: 'thinking', thinking: thinking.join('') },
    { type: 'text', text: answer.join('') },
    call,
  ]
  const message = { role: 'assistant', content, ...about, usage: usageOf(900) }
  const output = [{ type: 'text', text: text.units(500) }]
  const result = {
    role: 'toolResult',
    toolCallId: id,
    toolName: 'bash',
    content: output,
    isError: false,
  }

  write(jsonLine({ type: 'turn_start' }))
  write(
    jsonLine({ type: 'message_start', message: { ...message, content: [], usage: usageOf(1) } }),
  )
  update({ type: 'thinking_start', contentIndex: 0 })
  block('thinking', 0, thinking)
  update({ type: 'thinking_end', contentIndex: 0, content: thinking.join('') })
  update({ type: 'text_start', contentIndex: 1 })
  block('text', 1, answer)
  update({ type: 'text_end', contentIndex: 1, content: answer.join('') })
  update({ type: 'toolcall_start', contentIndex: 2, id, toolName: 'bash' })
  block('toolcall', 2, JSON.stringify(args).match(/.{1,18}/gs) ?? [])
  update({ type: 'toolcall_end', contentIndex: 2, toolCall: call })
  write(jsonLine({ type: 'message_end', message }))
  write(jsonLine({ type: 'tool_execution_start', toolCallId: id, toolName: 'bash', args }))
  write(
    jsonLine({
      type: 'tool_execution_end',
      toolCallId: id,
      toolName: 'bash',
      result: { content: output },
      isError: false,
    }),
  )
  write(jsonLine({ type: 'message_start', message: result }))
  write(jsonLine({ type: 'message_end', message: result }))
  write(jsonLine({ type: 'turn_end', message, toolResults: [result] }))
}
