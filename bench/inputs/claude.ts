import { type Fill, jsonLine, type Write } from './file.ts'
import { createText, type Text } from './text.ts'

const sessionId = '5081f639-38d0-44a9-a422-06103faadc55'
const usage = {
  input_tokens: 3,
  cache_creation_input_tokens: 2649,
  cache_read_input_tokens: 8853,
  cache_creation: { ephemeral_5m_input_tokens: 2649, ephemeral_1h_input_tokens: 0 },
  output_tokens: 1,
  service_tier: 'standard',
  inference_geo: 'not_available',
}

const head = (id: string, content: unknown[]) => ({
  model: 'claude-opus-5-5',
  id,
  type: 'message',
  role: 'assistant',
  content,
  stop_reason: null,
  stop_sequence: null,
  usage,
})

const createTurnTracker = (write: Write, text: Text, parent: string | null = null) => {
  const own = () => ({
    parent_tool_use_id: parent,
    session_id: sessionId,
    uuid: text.uuid(),
    timestamp: '2026-11-15T06:33:19.389Z',
  })
  return {
    assistant: (id: string, block: unknown) =>
      write(
        jsonLine({
          type: 'assistant',
          message: { ...head(id, [block]), context_management: null },
          ...own(),
          request_id: 'req_01LRauH5phYLixmqrV2gVibk',
        }),
      ),
    result: (id: string, output: string) =>
      write(
        jsonLine({
          type: 'user',
          message: {
            role: 'user',
            content: [{ tool_use_id: id, type: 'tool_result', content: output, is_error: false }],
          },
          ...own(),
          tool_use_result: { stdout: output, stderr: '', interrupted: false, isImage: false },
        }),
      ),
  }
}

/** Complete messages: text, tool call and result, a few kilobytes each. */
export const claudeCoarse: Fill = (write, scale) => {
  const text = createText(6)
  const { assistant, result } = createTurnTracker(write, text)
  init(write, text)
  for (let at = 0; at < 10_000 * scale; at += 1) {
    const input = { command: text.units(600), description: 'Step' }
    assistant(`msg_${at}`, { type: 'text', text: text.units(1200) })
    assistant(`msg_${at}`, { type: 'tool_use', id: `toolu_${at}`, name: 'Bash', input })
    result(`toolu_${at}`, text.units(1400))
  }
}

type Order = (event: object, id: string, text: Text, extra: object) => object

const asWritten: Order = (event, id, text, extra) => ({
  type: 'stream_event',
  event,
  session_id: sessionId,
  parent_tool_use_id: null,
  uuid: text.uuid(),
  ...extra,
  api_message_id: id,
})

const eventLast: Order = (event, id, text, extra) => ({
  type: 'stream_event',
  uuid: text.uuid(),
  session_id: sessionId,
  parent_tool_use_id: null,
  ...extra,
  api_message_id: id,
  event,
})

/** Partial messages: a few hundred small stream events per message. */
export const claudePartial: Fill = (write, scale) => partial(write, 1150 * scale, asWritten)

/** The same with the field `event` at the end, so that the start of a line does not show the delta. */
export const claudeEventLast: Fill = (write, scale) => partial(write, 600 * scale, eventLast)

const partial = (write: Write, messages: number, order: Order) => {
  const text = createText(7)
  const { assistant, result } = createTurnTracker(write, text)
  init(write, text)
  for (let at = 0; at < messages; at += 1) {
    const id = `msg_01PKqRKQXPGHWDx1Zwug${at}`
    const emit = (event: object, extra = {}) => write(jsonLine(order(event, id, text, extra)))
    const delta = (index: number, change: object, extra = {}) =>
      emit({ type: 'content_block_delta', index, delta: change }, extra)
    const updates = { thinking_display: 'updates' }
    emit({ type: 'message_start', message: head(id, []) }, { ttft_ms: 99, ...updates })

    const thinking = text.deltas(20, 30)
    emit({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '' },
    })
    for (const piece of thinking) {
      delta(0, { type: 'thinking_delta', thinking: piece }, updates)
      tokens(write, text)
    }
    assistant(id, { type: 'thinking', thinking: thinking.join(''), signature: 'c2ln' })
    emit({ type: 'content_block_stop', index: 0 })

    const answer = text.deltas(280, 25)
    emit({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } })
    for (const piece of answer) delta(1, { type: 'text_delta', text: piece })
    assistant(id, { type: 'text', text: answer.join('') })
    emit({ type: 'content_block_stop', index: 1 })

    const input = { command: text.units(400) }
    const call = { type: 'tool_use', id: `toolu_${at}`, name: 'Bash' }
    emit({ type: 'content_block_start', index: 2, content_block: { ...call, input: {} } })
    for (const piece of JSON.stringify(input).match(/.{1,25}/gs) ?? [])
      delta(2, { type: 'input_json_delta', partial_json: piece })
    assistant(id, { ...call, input })
    emit({ type: 'content_block_stop', index: 2 })

    emit({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage })
    emit({ type: 'message_stop' })
    result(`toolu_${at}`, text.units(500))
  }
}

const tokens = (write: Write, text: Text) =>
  write(
    jsonLine({
      type: 'system',
      subtype: 'thinking_tokens',
      estimated_tokens: 8,
      estimated_tokens_delta: 2,
      session_id: sessionId,
      uuid: text.uuid(),
    }),
  )

const init = (write: Write, text: Text) =>
  write(
    jsonLine({
      type: 'system',
      subtype: 'init',
      cwd: '/home/dev/project',
      session_id: sessionId,
      tools: ['Bash', 'Read'],
      model: 'claude-opus-5-5',
      uuid: text.uuid(),
    }),
  )
