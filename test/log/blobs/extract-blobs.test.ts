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

/** Extracts the blobs of an event: the event must stay valid, become small and lose nothing. */
const extracted = (event: AgentEvent) => {
  const before = JSON.stringify(event)
  const result = extractBlobs(event)
  expect(JSON.stringify(event) === before, 'the original event is unchanged').toBe(true)
  const json = JSON.stringify(result.event)
  expect(agentEvent.parse(JSON.parse(json))).toEqual(result.event)
  expect(json.length).toBeLessThan(64 * 1024)
  expect(isDeepStrictEqual(restore(result), event), 'the event can be restored').toBe(true)
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

describe('extractBlobs', () => {
  test('leaves the small events of all recordings as they are', () => {
    for (const { agent, bytes } of recordings)
      for (const event of decodeChunks(agent, [bytes()])) {
        if (JSON.stringify(event).length > blobThresholdBytes) continue
        const result = extractBlobs(event)
        expect(result.event).toBe(event)
        expect(result.blobs).toEqual([])
      }
  })

  test.each<[string, (size: number) => AgentEvent]>([
    [
      'tool output',
      (size) => ({ type: 'tool_execution_update', ...call, outputDelta: textOfSize(size) }),
    ],
    [
      'a tool result',
      (size) => ({ type: 'tool_execution_end', ...call, result: textOfSize(size) }),
    ],
    ['a text block', (size) => resultWith([{ type: 'text', text: textOfSize(size) }])],
    ['an image', (size) => resultWith([{ ...image, data: Buffer.alloc(size).toString('base64') }])],
  ])('%s of 256 KiB stays, with one byte more it is extracted', (_, eventOf) => {
    const event = eventOf(blobThresholdBytes)
    expect(extractBlobs(event).event).toBe(event)
    expect(extractBlobs(event).blobs).toEqual([])
    expect(extracted(eventOf(blobThresholdBytes + 1)).blobs).toHaveLength(1)
  })

  test('tool output keeps a preview, and the blob has all of it', () => {
    const { event, blobs } = extracted({
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

  test('the same output in an end event, a message and its details is one blob', () => {
    const content: Block[] = [
      { type: 'text', text: output },
      { type: 'text', text: 'short' },
    ]
    const end = extracted({ type: 'tool_execution_end', ...call, result: { content, code: 0 } })
    const result = extracted(resultWith(content, content))
    const [blob] = end.blobs.map(({ ref }) => ref)
    expect([...end.blobs, ...result.blobs].map(({ ref }) => ref)).toEqual([blob, blob])
    const left = [
      { type: 'text', text: output.slice(0, 8192), blob },
      { type: 'text', text: 'short' },
    ]
    expect(end.event).toEqual({
      type: 'tool_execution_end',
      ...call,
      result: { content: left, code: 0 },
    })
    expect(result.event).toEqual(resultWith(left, left))
  })

  test('a value without blocks becomes one blob, and its preview has the same shape', () => {
    const details = { stdout: output, stderr: '', code: 0 }
    const { event, blobs } = extracted(resultWith([{ type: 'text', text: 'short' }], details))
    if (event.type !== 'tool_result') throw new Error(event.type)
    const { content, details: left, detailsBlob } = event.message
    expect(content).toEqual([{ type: 'text', text: 'short' }])
    expect(left).toEqual({ stdout: output.slice(0, 2048), stderr: '', code: 0 })
    expect(detailsBlob).toEqual(blobs[0]?.ref)
    expect(detailsBlob?.mimeType).toBe('application/json')
  })

  test('very many small parts become one blob, and the first ones stay as the preview', () => {
    const blocks = Array.from({ length: 100 }, (_, index): Block => {
      return { type: 'text', text: `${index} ${'x'.repeat(10_000)}` }
    })
    const result = extracted(resultWith(blocks))
    if (result.event.type !== 'tool_result') throw new Error(result.event.type)
    expect(result.event.message.content).toEqual(blocks.slice(0, 1))
    expect(result.event.message.contentBlob).toEqual(result.blobs[0]?.ref)
    expect(result.blobs).toHaveLength(1)

    const line = { rows: Array.from({ length: 60_000 }, (_, index) => ({ index })) }
    const raw = extracted({ type: 'raw', agent: 'pi', line })
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
    const { blobs, event } = extracted({ type: 'tool_execution_end', ...call, result })
    expect(blobs).toHaveLength(1)
    expect(blobs[0]?.ref).toMatchObject({ size: png.length, mimeType: 'image/png' })
    expect(Buffer.compare(blobs[0]?.bytes ?? png.subarray(1), png)).toBe(0)
    expect(JSON.stringify(event)).toContain(`"blob":${JSON.stringify(blobs[0]?.ref)}`)
  })

  test('text in a data field that is not base64 is stored as text', () => {
    const data = 'a,b;c\n'.repeat(100_000)
    const result = { data, mimeType: 'text/csv' }
    const { blobs } = extracted({ type: 'tool_execution_end', ...call, result })
    expect(blobs.map(({ ref }) => ref.mimeType)).toEqual(['text/plain'])
    expect(textOf(blobs[0]?.bytes) === data).toBe(true)
  })

  test('the agent’s own field `blob` is not overwritten', () => {
    const result = [
      { type: 'text', text: output, blob: 1 },
      { ...image, blob: 'mine' },
    ]
    const { blobs } = extracted({ type: 'tool_execution_end', ...call, result })
    expect(blobs.map(({ ref }) => ref.mimeType)).toEqual(['application/json'])
  })

  test('base64 with line breaks is the same image', () => {
    const data = image.data.replaceAll(/.{76}/g, '$&\n').replaceAll('=', '')
    const { blobs } = extractBlobs(resultWith([{ ...image, data }]))
    expect(blobs.map(({ ref }) => ref)).toMatchObject([{ size: png.length, mimeType: 'image/png' }])
  })

  test('images and unknown blocks of a message are extracted, its text is not', () => {
    const document = { type: 'document', pages: Array.from({ length: 9000 }, () => 'A page.') }
    const text: Block = { type: 'text', text: 'Look at these.' }
    const { event, blobs } = extracted({
      type: 'message_end',
      messageId: 'm1',
      message: { role: 'user', content: [text, image, document, image] },
    })
    if (event.type !== 'message_end') throw new Error(event.type)
    expect(blobs.map(({ ref }) => ref.mimeType)).toEqual(['image/png', 'application/json'])
    expect(event.message.content).toEqual([
      text,
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

  test('arguments are the same blob in every event, but stay in an approval request', () => {
    const input = { path: 'a.txt', content: output, mode: 'w' }
    const left = { path: 'a.txt', content: output.slice(0, 2048), mode: 'w' }
    const writeCall = { type: 'toolCall', id: 't1', name: 'write', arguments: input } as const
    const callEvents: AgentEvent[] = [
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
        message: { role: 'assistant', content: [{ type: 'text', text: 'Now.' }, writeCall] },
      },
    ]
    const results = callEvents.map(extracted)
    const [blob] = results[0]?.blobs.map(({ ref }) => ref) ?? []
    for (const { blobs } of results) expect(blobs.map(({ ref }) => ref)).toEqual([blob])
    expect(results.map(({ event }) => event)).toMatchObject([
      { input: left, blob },
      { args: left, blob },
      { assistantMessageEvent: { input: left, blob } },
      { message: { content: [{ text: 'Now.' }, { id: 't1', arguments: left, blob }] } },
    ])
    const request: AgentEvent = {
      type: 'approval_request',
      kind: 'tool',
      approvalId: 'a',
      args: input,
    }
    expect(extractBlobs(request)).toEqual({ event: request, blobs: [] })
  })

  test('the output of a shell and of a hook is extracted', () => {
    const { event, blobs } = extracted({
      type: 'session_update',
      shell: { id: '1', outputDelta: output },
      hook: { name: 'h', on: 'Stop', status: 'done', output: `!${output}` },
    })
    expect(event).toMatchObject({
      shell: { id: '1', outputDelta: output.slice(0, 8192), blob: blobs[0]?.ref },
      hook: { name: 'h', output: `!${output}`.slice(0, 8192), blob: blobs[1]?.ref },
    })
  })

  test('a blob keeps half a surrogate pair, and a preview does not split one', () => {
    const broken = `${'🙂'.repeat(200_000)}\ud83d`
    const { blobs } = extracted({ type: 'tool_execution_end', ...call, result: broken })
    expect(blobs[0]?.ref.mimeType).toBe('application/json')
    const whole = `x${'🙂'.repeat(200_000)}`
    const { event } = extracted({ type: 'tool_execution_end', ...call, result: whole })
    expect(event).toMatchObject({ result: `x${'🙂'.repeat(4095)}` })
  })

  test('a value may be nested deeper than the call stack', () => {
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

  test('the log returns the same reference for a blob as the event has', async () => {
    const { blobs } = extracted({ type: 'tool_execution_end', ...call, result: output })
    const log = await openMemoryLog()
    await log.sessions.create(session('a'))
    for (const { ref, bytes } of blobs)
      expect(await log.blobs.put('a', bytes, ref.mimeType)).toEqual(ref)
    await log.close()
  })
})

/** A text of `size` bytes. */
function textOfSize(size: number): string {
  return 'x'.repeat(size)
}
