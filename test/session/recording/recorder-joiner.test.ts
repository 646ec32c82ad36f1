import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/events/types.ts'
import { createJoiner } from '../../../src/session/recording/recorder.ts'

const text = (delta: string, messageId = 'm', contentIndex = 0): AgentEvent => ({
  type: 'message_update',
  messageId,
  assistantMessageEvent: { type: 'text_delta', contentIndex, delta },
})
const output = (outputDelta: string, toolCallId = 't'): AgentEvent => ({
  type: 'tool_execution_update',
  toolCallId,
  toolName: 'bash',
  outputDelta,
})

/** A joiner whose frames end when the test calls `endFrame`. */
const withFrames = () => {
  const emitted: AgentEvent[][] = []
  let due: (() => void) | undefined
  const joiner = createJoiner(
    (events) => emitted.push(events),
    (run) => {
      due = run
      return () => {
        due = undefined
      }
    },
  )
  const endFrame = () => {
    const run = due
    due = undefined
    run?.()
  }
  return { ...joiner, emitted, endFrame, isOpen: () => due !== undefined }
}

test('emits the first delta at once, and joins those that follow within the frame', () => {
  const { push, emitted, endFrame } = withFrames()
  for (const delta of ['a', 'b', 'c', 'd']) push(text(delta))
  expect(emitted).toEqual([[text('a')]])
  endFrame()
  expect(emitted).toEqual([[text('a')], [text('bcd')]])
})

test('opens no new frame after an empty one', () => {
  const { push, endFrame, isOpen } = withFrames()
  push(text('a'))
  endFrame()
  expect(isOpen()).toBe(false)
})

test('emits any other event at once, after the deltas that wait', () => {
  const { push, emitted } = withFrames()
  push(text('a'))
  push(text('b'))
  push({ type: 'agent_end' })
  expect(emitted.flat()).toEqual([text('a'), text('b'), { type: 'agent_end' }])
})

test('does not join deltas of different blocks, messages or tools', () => {
  const { push, emitted, flush } = withFrames()
  const apart = [
    text('a'),
    text('b'),
    text('c', 'm', 1),
    output('d'),
    output('e', 'u'),
    text('f', 'n'),
  ]
  for (const event of apart) push(event)
  flush()
  expect(emitted.flat()).toEqual(apart)
})

test('loses nothing and keeps the order, for any events and frames', () => {
  const event = fc.oneof(
    fc
      .tuple(fc.constantFrom('m', 'n'), fc.nat(1), fc.string())
      .map(([id, index, delta]) => text(delta, id, index)),
    fc.tuple(fc.constantFrom('t', 'u'), fc.string()).map(([id, delta]) => output(delta, id)),
    fc.constant<AgentEvent>({ type: 'turn_start' }),
    fc.constant('frame' as const),
  )
  const flat = (events: readonly AgentEvent[]) =>
    events.map((each) => {
      if (each.type === 'tool_execution_update') return `${each.toolCallId}:${each.outputDelta}`
      if (each.type !== 'message_update') return each.type
      const update = each.assistantMessageEvent
      return update.type === 'text_delta'
        ? `${each.messageId}${update.contentIndex}:${update.delta}`
        : ''
    })
  const merged = (lines: string[]) =>
    lines.reduce<string[]>((all, line) => {
      const [key, value = ''] = [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1),
      ]
      const last = all.at(-1)
      if (line.includes(':') && last?.startsWith(`${key}:`)) all[all.length - 1] = last + value
      else all.push(line)
      return all
    }, [])
  fc.assert(
    fc.property(fc.array(event), (inputs) => {
      const { push, emitted, endFrame, close } = withFrames()
      const events: AgentEvent[] = []
      for (const each of inputs) {
        if (each === 'frame') endFrame()
        else {
          events.push(each)
          push(each)
        }
      }
      close()
      expect(merged(flat(emitted.flat()))).toEqual(merged(flat(events)))
    }),
  )
})
