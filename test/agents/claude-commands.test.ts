import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { assistant, init, result, text } from '../support/claude-lines.ts'
import { decoderOf, ofType } from '../support/decoded.ts'

const decode = decoderOf('claude')

const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  isReplay: true,
  ...more,
})
/** As every release echoes a command: 2.1.325 puts the name first, others the message. */
const typed = (name: string, args = '') =>
  user(
    `<command-name>/${name}</command-name>\n            <command-message>${name}</command-message>\n            <command-args>${args}</command-args>`,
  )
const synthetic = (id: string, value: string) => ({
  type: 'assistant',
  message: { id, model: '<synthetic>', content: [text(value)] },
  parent_tool_use_id: null,
  local_command_source: `<local-command-stdout>${value}</local-command-stdout>`,
})
const shown = (events: readonly AgentEvent[]) =>
  events.flatMap((event): unknown[] => {
    if (event.type === 'message_end') return [event.message.content]
    return event.type === 'session_update' && event.notice ? [event.notice.text] : []
  })
const words = (value: string) => [{ type: 'text', text: value }]

describe('commands of the program', () => {
  test('are shown as they were typed, before their output', () => {
    const events = decode(init, synthetic('s', 'Total cost: $1'), typed('usage'), result())
    expect(shown(events)).toEqual([words('/usage'), words('Total cost: $1')])
  })

  test('have their arguments, in the order of every release', () => {
    const older = user(
      '<command-message>hello is running…</command-message>\n<command-name>/hello</command-name>\n<command-args>big world</command-args>',
    )
    expect(shown(decode(init, older, assistant('m', text('Hello')), result()))).toEqual([
      words('/hello big world'),
      words('Hello'),
    ])
  })

  test('what /compact printed follows the command', () => {
    const output = user('<local-command-stdout>Compacted </local-command-stdout>')
    const events = decode(init, output, typed('compact', 'keep names'), result())
    expect(shown(events)).toEqual([words('/compact keep names'), 'Compacted'])
  })

  test('a compaction stands for its command, which is echoed after it', () => {
    const boundary = { type: 'system', subtype: 'compact_boundary', compact_metadata: {} }
    const events = decode(
      init,
      boundary,
      user('This session is being continued.', { isReplay: false }),
      user('<local-command-stdout>Compacted </local-command-stdout>'),
      typed('compact', 'keep names'),
      result(),
    )
    expect(shown(events)).toEqual(['Compacted'])
    expect(ofType(events, 'compaction_end')).toHaveLength(1)
  })

  test('output that is printed again after a compaction is shown once', () => {
    const output = { ...synthetic('s', 'Total cost'), uuid: 'u' }
    const again = { ...synthetic('other', 'Total cost'), uuid: 'u' }
    expect(shown(decode(init, output, typed('usage'), result(), init, again, result()))).toEqual([
      words('/usage'),
      words('Total cost'),
    ])
  })

  test('output without an echo is shown all the same', () => {
    expect(shown(decode(init, synthetic('s', 'Total cost'), result()))).toEqual([
      words('Total cost'),
    ])
    expect(shown(decode(init, synthetic('s', 'Total cost')))).toEqual([words('Total cost')])
  })

  test('the answer to an unknown command stands only in the result', () => {
    const events = decode(init, result({ result: 'Unknown command: /nosuch' }))
    expect(shown(events)).toEqual([words('Unknown command: /nosuch')])
  })

  test('a text of a person that mentions the tags stays as it is', () => {
    const written = 'What is <command-name>/x</command-name>?'
    expect(shown(decode(init, user(written), result()))).toEqual([words(written)])
  })
})
