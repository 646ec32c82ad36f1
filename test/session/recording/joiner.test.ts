import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/events/types.ts'
import { createJoiner } from '../../../src/session/recording/joiner.ts'

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

/** A joiner whose frames end when the test says so. */
const withFrames = () => {
  const told: AgentEvent[][] = []
  let due: (() => void) | undefined
  const joiner = createJoiner(
    (events) => told.push(events),
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
  return { ...joiner, told, endFrame, isOpen: () => due !== undefined }
}

test('the first delta goes out at once; those of the frame behind it become one', () => {
  const { push, told, endFrame } = withFrames()
  for (const delta of ['a', 'b', 'c', 'd']) push(text(delta))
  expect(told).toEqual([[text('a')]])
  endFrame()
  expect(told).toEqual([[text('a')], [text('bcd')]])
})

test('a frame in which nothing came is the last one', () => {
  const { push, endFrame, isOpen } = withFrames()
  push(text('a'))
  endFrame()
  expect(isOpen()).toBe(false)
})

test('anything but a delta goes out at once and takes what waits along, in order', () => {
  const { push, told } = withFrames()
  push(text('a'))
  push(text('b'))
  push({ type: 'agent_end' })
  expect(told.flat()).toEqual([text('a'), text('b'), { type: 'agent_end' }])
})

test('blocks, messages and tools are not mixed', () => {
  const { push, told, flush } = withFrames()
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
  expect(told.flat()).toEqual(apart)
})

test('whatever comes, whenever frames end: nothing is lost, and the order stays', () => {
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
    fc.property(fc.array(event), (given) => {
      const { push, told, endFrame, close } = withFrames()
      const events: AgentEvent[] = []
      for (const each of given) {
        if (each === 'frame') endFrame()
        else {
          events.push(each)
          push(each)
        }
      }
      close()
      expect(merged(flat(told.flat()))).toEqual(merged(flat(events)))
    }),
  )
})
