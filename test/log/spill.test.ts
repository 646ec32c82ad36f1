import { describe, expect, test } from 'vitest'
import { type AgentEvent, agentEvent } from '../../src/events/event.ts'
import { openMemoryLog, spill } from '../../src/log/index.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'
import { session } from './samples.ts'

const call = { toolCallId: 't1', toolName: 'bash' }
const output = `first line\n${'0123456789'.repeat(30_000)}\nlast line`
const png = Buffer.from(new Uint8Array(300_000).map((_, index) => (index * 31) % 256))
const image = { type: 'image', data: png.toString('base64'), mimeType: 'image/png' } as const

/** Spills an event; it must be valid and light, and its blobs must be what they are called. */
const spilled = (event: AgentEvent) => {
  const before = JSON.stringify(event)
  const { event: light, blobs } = spill(event)
  expect(JSON.stringify(event)).toBe(before) // pure: the one that was given is untouched
  expect(agentEvent.parse(JSON.parse(JSON.stringify(light)))).toEqual(light)
  expect(JSON.stringify(light).length).toBeLessThan(256 * 1024)
  return { light, blobs, json: JSON.stringify(light) }
}
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

describe('spill', () => {
  test('leaves small events alone: every one of the recordings', () => {
    for (const { agent, bytes } of recordings)
      for (const event of decodeChunks(agent, [bytes()])) {
        if (JSON.stringify(event).length > 256 * 1024) continue
        const result = spill(event)
        expect(result.event).toBe(event)
        expect(result.blobs).toEqual([])
      }
  })

  test('a printed text keeps its beginning and its end', () => {
    const { light, blobs } = spilled({
      type: 'tool_execution_update',
      ...call,
      outputDelta: output,
    })
    expect(blobs).toHaveLength(1)
    expect(textOf(blobs[0]?.bytes)).toBe(output)
    expect(blobs[0]?.ref).toMatchObject({ size: output.length, mimeType: 'text/plain' })
    if (light.type !== 'tool_execution_update') throw new Error(light.type)
    expect(light.outputDelta).toMatch(/^first line\n/)
    expect(light.outputDelta).toMatch(/last line$/)
    expect(light.outputDelta).toContain(`${output.length} bytes, sha256 ${blobs[0]?.ref.hash}`)
  })

  test('the same output in a result’s content and details is one blob', () => {
    const { light, blobs } = spilled({
      type: 'tool_result',
      message: {
        role: 'toolResult',
        ...call,
        content: [
          { type: 'text', text: output },
          { type: 'text', text: 'short' },
        ],
        details: { stdout: output, code: 0 },
        isError: false,
      },
    })
    expect(blobs).toHaveLength(1)
    if (light.type !== 'tool_result') throw new Error(light.type)
    expect(light.message.content).toEqual([
      { type: 'text', text: expect.stringContaining('sha256') },
      { type: 'blob', blob: blobs[0]?.ref },
      { type: 'text', text: 'short' },
    ])
    expect(light.message.details).toEqual({ stdout: expect.stringContaining('sha256'), code: 0 })
  })

  test.each([
    ['Pi’s', { content: [image], details: {} }],
    [
      'Claude’s',
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } }],
    ],
  ])('an image in %s result becomes its own bytes', (_, result) => {
    const { blobs, json } = spilled({ type: 'tool_execution_end', ...call, result })
    expect(blobs).toHaveLength(1)
    expect(blobs[0]?.ref).toMatchObject({ size: png.length, mimeType: 'image/png' })
    expect(Buffer.compare(blobs[0]?.bytes ?? png.subarray(1), png)).toBe(0)
    expect(json).toContain(blobs[0]?.ref.hash)
  })

  test('of a message only images go; what was written stays, however long', () => {
    const { light, blobs } = spilled({
      type: 'message_end',
      messageId: 'm1',
      message: { role: 'user', content: [{ type: 'text', text: output.slice(0, 99_000) }, image] },
    })
    if (light.type !== 'message_end') throw new Error(light.type)
    expect(light.message.content).toEqual([
      { type: 'text', text: output.slice(0, 99_000) },
      { type: 'blob', blob: blobs[0]?.ref },
    ])
    const essay: AgentEvent = {
      type: 'message_end',
      messageId: 'm2',
      message: { role: 'assistant', content: [{ type: 'text', text: output }] },
    }
    expect(spill(essay)).toEqual({ event: essay, blobs: [] })
  })

  test('a value of very many small parts goes whole', () => {
    const line = { rows: Array.from({ length: 60_000 }, (_, index) => ({ index })) }
    const { light, blobs } = spilled({ type: 'raw', agent: 'pi', line })
    expect(JSON.parse(textOf(blobs[0]?.bytes))).toEqual(line)
    if (light.type !== 'raw') throw new Error(light.type)
    expect(light.line).toMatchObject({ type: 'blob', blob: blobs[0]?.ref })
  })

  test('a shell’s and a hook’s output', () => {
    const { json, blobs } = spilled({
      type: 'session_update',
      shell: { id: '1', outputDelta: output },
      hook: { name: 'h', on: 'Stop', status: 'done', output: `${output}!` },
    })
    expect(blobs).toHaveLength(2)
    for (const { ref } of blobs) expect(json).toContain(ref.hash)
  })

  test('half a surrogate pair survives, in the blob and at the cut', () => {
    const broken = `${'🙂'.repeat(200_000)}\ud83d`
    const { blobs, json } = spilled({ type: 'tool_execution_end', ...call, result: broken })
    expect(blobs[0]?.ref.mimeType).toBe('application/json')
    expect(JSON.parse(textOf(blobs[0]?.bytes))).toBe(broken)
    const whole = `x${'🙂'.repeat(200_000)}`
    const cut = spilled({ type: 'tool_execution_end', ...call, result: whole })
    expect(cut.json).not.toMatch(/\\ud/)
    expect(json).toMatch(/\\ud83d"/) // it was there, and is still at the end of the preview
  })

  test('a log calls the bytes what the event calls them', async () => {
    const { blobs } = spilled({ type: 'tool_execution_end', ...call, result: output })
    const log = await openMemoryLog()
    await log.sessions.create(session('a'))
    for (const { ref, bytes } of blobs)
      expect(await log.blobs.put('a', bytes, ref.mimeType)).toEqual(ref)
    await log.close()
  })
})
