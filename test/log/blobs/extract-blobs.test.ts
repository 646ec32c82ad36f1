import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { agentEvent } from '../../../src/events/event.ts'
import type { AgentEvent, Block } from '../../../src/events/types.ts'
import { blobThresholdBytes, extractBlobs, openMemoryLog } from '../../../src/log/index.ts'
import { decodeChunks, recordings } from '../../support/recordings.ts'
import { restore } from '../restore.ts'
import { session } from '../samples.ts'

const call = { toolCallId: 't1', toolName: 'bash' }
const output = `first line\n${'0123456789'.repeat(100_000)}\nlast line`
const png = Buffer.from(new Uint8Array(300 * 1024).map((_, index) => (index * 31) % 256))
const image = { type: 'image', data: png.toString('base64'), mimeType: 'image/png' } as const

/** Spills an event: it must be valid and light, and nothing of it may be lost. */
const spilled = (event: AgentEvent) => {
  const before = JSON.stringify(event)
  const result = extractBlobs(event)
  expect(JSON.stringify(event) === before, 'the one that was given is untouched').toBe(true)
  const json = JSON.stringify(result.event)
  expect(agentEvent.parse(JSON.parse(json))).toEqual(result.event)
  expect(json.length).toBeLessThan(64 * 1024)
  expect(isDeepStrictEqual(restore(result), event), 'all of it is in the blobs').toBe(true)
  return result
}
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
const resultWith = (content: Block[], details?: unknown): AgentEvent => ({
  type: 'tool_result',
  message: {
    role: 'toolResult',
    ...call,
    content,
    ...(details !== undefined && { details }),
    isError: false,
  },
})

describe('spill', () => {
  test('leaves small events alone: every one of the recordings', () => {
    for (const { agent, bytes } of recordings)
      for (const event of decodeChunks(agent, [bytes()])) {
        if (JSON.stringify(event).length > blobThresholdBytes) continue
        const result = extractBlobs(event)
        expect(result.event).toBe(event)
        expect(result.blobs).toEqual([])
      }
  })

  test.each<[string, (size: number) => AgentEvent]>([
    ['printed text', (size) => ({ type: 'tool_execution_update', ...call, outputDelta: of(size) })],
    ['a result', (size) => ({ type: 'tool_execution_end', ...call, result: of(size) })],
    ['a result’s text', (size) => resultWith([{ type: 'text', text: of(size) }])],
    ['an image', (size) => resultWith([{ ...image, data: Buffer.alloc(size).toString('base64') }])],
  ])('%s of 256 KiB stays, one byte more goes', (_, eventOf) => {
    const event = eventOf(blobThresholdBytes)
    expect(extractBlobs(event).event).toBe(event)
    expect(extractBlobs(event).blobs).toEqual([])
    expect(spilled(eventOf(blobThresholdBytes + 1)).blobs).toHaveLength(1)
  })

  test('a printed text keeps its beginning, and the blob is all of it', () => {
    const { event, blobs } = spilled({
      type: 'tool_execution_update',
      ...call,
      outputDelta: output,
      gap: true,
    })
    expect(blobs).toHaveLength(1)
    expect(textOf(blobs[0]?.bytes) === output).toBe(true)
    expect(event).toEqual({
      type: 'tool_execution_update',
      ...call,
      outputDelta: output.slice(0, 8192),
      gap: true,
      blob: { hash: blobs[0]?.ref.hash, size: output.length, mimeType: 'text/plain' },
    })
  })

  test('the same output, as it is shown, told and described in blocks, is one blob', () => {
    const content: Block[] = [
      { type: 'text', text: output },
      { type: 'text', text: 'short' },
    ]
    const end = spilled({ type: 'tool_execution_end', ...call, result: { content, code: 0 } })
    const told = spilled(resultWith(content, content))
    const [blob] = end.blobs.map(({ ref }) => ref)
    expect([...end.blobs, ...told.blobs].map(({ ref }) => ref)).toEqual([blob, blob])
    const left = [
      { type: 'text', text: output.slice(0, 8192), blob },
      { type: 'text', text: 'short' },
    ]
    expect(end.event).toEqual({
      type: 'tool_execution_end',
      ...call,
      result: { content: left, code: 0 },
    })
    expect(told.event).toEqual(resultWith(left, left))
  })

  test('a value that is not made of blocks goes as one, and keeps its shape in small', () => {
    const details = { stdout: output, stderr: '', code: 0 }
    const { event, blobs } = spilled(resultWith([{ type: 'text', text: 'short' }], details))
    if (event.type !== 'tool_result') throw new Error(event.type)
    const { content, details: left, detailsBlob } = event.message
    expect(content).toEqual([{ type: 'text', text: 'short' }])
    expect(left).toEqual({ stdout: output.slice(0, 2048), stderr: '', code: 0 })
    expect(detailsBlob).toEqual(blobs[0]?.ref)
    expect(detailsBlob?.mimeType).toBe('application/json')
  })

  test('very many small parts: the first stay, all of them go as one', () => {
    const blocks = Array.from({ length: 100 }, (_, index): Block => {
      return { type: 'text', text: `${index} ${'x'.repeat(10_000)}` }
    })
    const told = spilled(resultWith(blocks))
    if (told.event.type !== 'tool_result') throw new Error(told.event.type)
    expect(told.event.message.content).toEqual(blocks.slice(0, 1))
    expect(told.event.message.contentBlob).toEqual(told.blobs[0]?.ref)
    expect(told.blobs).toHaveLength(1)

    const line = { rows: Array.from({ length: 60_000 }, (_, index) => ({ index })) }
    const raw = spilled({ type: 'raw', agent: 'pi', line })
    expect(raw.event).toMatchObject({
      line: { rows: expect.arrayContaining([{ index: 0 }, { index: 400 }]) },
      blob: raw.blobs[0]?.ref,
    })
  })

  test.each([
    ['Pi’s', { content: [image], details: {} }],
    [
      'Claude’s',
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } }],
    ],
    ['Claude’s structured', { type: 'image', file: { base64: image.data, type: 'image/png' } }],
  ])('an image in %s result becomes its own bytes', (_, result) => {
    const { blobs, event } = spilled({ type: 'tool_execution_end', ...call, result })
    expect(blobs).toHaveLength(1)
    expect(blobs[0]?.ref).toMatchObject({ size: png.length, mimeType: 'image/png' })
    expect(Buffer.compare(blobs[0]?.bytes ?? png.subarray(1), png)).toBe(0)
    expect(JSON.stringify(event)).toContain(`"blob":${JSON.stringify(blobs[0]?.ref)}`)
  })

  test('what only looks like base64 is not read as such', () => {
    const data = 'a,b;c\n'.repeat(100_000)
    const result = { data, mimeType: 'text/csv' }
    const { blobs } = spilled({ type: 'tool_execution_end', ...call, result })
    expect(blobs.map(({ ref }) => ref.mimeType)).toEqual(['text/plain'])
    expect(textOf(blobs[0]?.bytes) === data).toBe(true)
  })

  test('a field of the agent’s own that is called blob is not written over', () => {
    const result = [
      { type: 'text', text: output, blob: 1 },
      { ...image, blob: 'mine' },
    ]
    const { blobs } = spilled({ type: 'tool_execution_end', ...call, result })
    expect(blobs.map(({ ref }) => ref.mimeType)).toEqual(['application/json'])
  })

  test('base64 in lines is the same image', () => {
    const data = image.data.replaceAll(/.{76}/g, '$&\n').replaceAll('=', '')
    const { blobs } = extractBlobs(resultWith([{ ...image, data }]))
    expect(blobs.map(({ ref }) => ref)).toMatchObject([{ size: png.length, mimeType: 'image/png' }])
  })

  test('of a message images and foreign blocks go; what was said stays, however long', () => {
    const document = { type: 'document', pages: Array.from({ length: 9000 }, () => 'A page.') }
    const said: Block = { type: 'text', text: 'Look at these.' }
    const { event, blobs } = spilled({
      type: 'message_end',
      messageId: 'm1',
      message: { role: 'user', content: [said, image, document, image] },
    })
    if (event.type !== 'message_end') throw new Error(event.type)
    expect(blobs.map(({ ref }) => ref.mimeType)).toEqual(['image/png', 'application/json'])
    expect(event.message.content).toEqual([
      said,
      { ...image, data: '', blob: blobs[0]?.ref },
      { type: 'document', pages: expect.any(Array), blob: blobs[1]?.ref },
      { ...image, data: '', blob: blobs[0]?.ref },
    ])
    const essay: AgentEvent = {
      type: 'message_end',
      messageId: 'm2',
      message: { role: 'assistant', content: [{ type: 'text', text: output }] },
    }
    expect(extractBlobs(essay)).toEqual({ event: essay, blobs: [] })
  })

  test('arguments are the same blob wherever they stand, but whole in a question', () => {
    const input = { path: 'a.txt', content: output, mode: 'w' }
    const left = { path: 'a.txt', content: output.slice(0, 2048), mode: 'w' }
    const writing = { type: 'toolCall', id: 't1', name: 'write', arguments: input } as const
    const called: AgentEvent[] = [
      { type: 'tool_call', ...call, input },
      { type: 'tool_execution_start', ...call, args: input },
      {
        type: 'message_update',
        messageId: 'm',
        assistantMessageEvent: {
          type: 'tool_use_end',
          contentIndex: 0,
          toolCallId: 't1',
          name: 'write',
          input,
        },
      },
      {
        type: 'message_end',
        messageId: 'm',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Now.' }, writing] },
      },
    ]
    const results = called.map(spilled)
    const [blob] = results[0]?.blobs.map(({ ref }) => ref) ?? []
    for (const { blobs } of results) expect(blobs.map(({ ref }) => ref)).toEqual([blob])
    expect(results.map(({ event }) => event)).toMatchObject([
      { input: left, blob },
      { args: left, blob },
      { assistantMessageEvent: { input: left, blob } },
      { message: { content: [{ text: 'Now.' }, { id: 't1', arguments: left, blob }] } },
    ])
    const question: AgentEvent = { type: 'approval_request', approvalId: 'a', args: input }
    expect(extractBlobs(question)).toEqual({ event: question, blobs: [] })
  })

  test('a shell’s and a hook’s output', () => {
    const { event, blobs } = spilled({
      type: 'session_update',
      shell: { id: '1', outputDelta: output },
      hook: { name: 'h', on: 'Stop', status: 'done', output: `!${output}` },
    })
    expect(event).toMatchObject({
      shell: { id: '1', outputDelta: output.slice(0, 8192), blob: blobs[0]?.ref },
      hook: { name: 'h', output: `!${output}`.slice(0, 8192), blob: blobs[1]?.ref },
    })
  })

  test('half a surrogate pair survives in the blob, and none is made at the cut', () => {
    const broken = `${'🙂'.repeat(200_000)}\ud83d`
    const { blobs } = spilled({ type: 'tool_execution_end', ...call, result: broken })
    expect(blobs[0]?.ref.mimeType).toBe('application/json')
    const whole = `x${'🙂'.repeat(200_000)}`
    const { event } = spilled({ type: 'tool_execution_end', ...call, result: whole })
    expect(event).toMatchObject({ result: `x${'🙂'.repeat(4095)}` })
  })

  test('a value may be nested deeper than calls can go', () => {
    const nested = (levels: number): unknown =>
      JSON.parse(`${'['.repeat(levels)}"x"${']'.repeat(levels)}`)
    for (const levels of [10_000, 100_000]) {
      const event: AgentEvent = { type: 'raw', agent: 'pi', line: nested(levels) }
      expect(extractBlobs(event).event === event).toBe(true)
    }
    const line = { text: output, nested: nested(500) }
    expect(extractBlobs({ type: 'raw', agent: 'pi', line }).blobs).toHaveLength(1)
    expect(extractBlobs({ type: 'tool_execution_end', ...call, result: line }).blobs).toHaveLength(
      1,
    )
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

/** A text of so many bytes. */
function of(size: number): string {
  return 'x'.repeat(size)
}
