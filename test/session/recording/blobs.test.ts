import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectionEvent } from '../../../src/events/event.ts'
import type { AgentEvent, StampedEvent } from '../../../src/events/index.ts'
import { createOpenState } from '../../../src/events/open-state.ts'
import type { BlobRef } from '../../../src/events/types.ts'
import { blobRefOf, openMemoryLog, openSqliteLog } from '../../../src/log/index.ts'
import { createBlobWriter } from '../../../src/session/recording/session-recorder.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import {
  applyEvents,
  emptyTranscript,
  fromSnapshot,
  toSnapshot,
} from '../../../src/transcript/index.ts'
import { piSetup } from '../../agents/pi.ts'
import { type AgentSetup, createSandbox } from '../../agents/sandbox.ts'
import { session as record } from '../../log/samples.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { ofType } from '../../support/decoded.ts'
import { noisePng } from '../../support/png.ts'

const agent = fileURLToPath(new URL('../agents/large-output.js', import.meta.url))
const output = `first line\n${'0123456789abcde\n'.repeat(65_536)}last line 🙂\n`
const png = Buffer.from(new Uint8Array(300 * 1024).map((_, index) => (index * 31) % 256))

describe('large payloads of a session', () => {
  let directory = ''
  let close: () => Promise<void> = async () => {}

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-blobs-'))
  })
  afterEach(async () => {
    await close()
    rmSync(directory, { recursive: true, force: true })
  })

  const open = async (setup: AgentSetup) => {
    const log = await openSqliteLog(directory)
    const published: StampedEvent[] = []
    const sessions = await openSessions({
      log,
      publish: (event) => published.push(event),
      findProgram: () => agentProgram(setup),
      env: setup.env,
    })
    close = async () => {
      await sessions.close()
      await log.close()
      setup.remove()
    }
    return { log, published, sessions, cwd: setup.cwd }
  }
  const openLarge = () =>
    open({ ...createSandbox('large-output'), argv: [process.execPath, agent] })

  const run = async ({ sessions, cwd }: Awaited<ReturnType<typeof openLarge>>, prompt: string) => {
    const { record, session } = await sessions.create({ agent: 'demo', cwd })
    expect(await session.prompt(prompt)).toEqual({ outcome: 'accepted' })
    await session.idle()
    await session.stop()
    return record.id
  }

  test('a megabyte of output becomes a preview and a reference in each event; the blob has all of it', async () => {
    const opened = await openLarge()
    const id = await run(opened, 'large')
    const { log, published } = opened
    const stored: StampedEvent[] = []
    for await (const event of log.read(id, 0)) stored.push(event)
    expect(stored).toEqual(published)
    for (const event of stored) expect(JSON.stringify(event).length).toBeLessThan(32 * 1024)

    const blob = { ...blobRefOf(Buffer.from(output)), mimeType: 'text/plain' }
    const picture = { ...blobRefOf(png), mimeType: 'image/png' }
    const text = { type: 'text', text: output.slice(0, 8192), blob }
    const image = { type: 'image', data: '', mimeType: 'image/png', blob: picture }
    expect(ofType(stored, 'tool_execution_update')).toMatchObject([
      { toolCallId: 'first', outputDelta: text.text, blob },
      { toolCallId: 'again', outputDelta: text.text, blob },
    ])
    const ends = ofType(stored, 'tool_execution_end').map(({ result }) => result)
    expect(ends).toEqual([{ content: [text, image] }, { content: [text] }])
    const results = ofType(stored, 'tool_result').map(({ message }) => message.content)
    expect(results).toEqual([[text, image], [text]])

    expect(await bytesIn(log, blob)).toEqual(Buffer.from(output))
    expect(await bytesIn(log, picture)).toEqual(png)

    const snapshot = toSnapshot(applyEvents(emptyTranscript(), stored), { projectId: 'p' })
    expect(snapshot.messages.slice(1)).toMatchObject([
      { content: [text, image] },
      { content: [text] },
    ])
    expect(JSON.stringify(snapshot).length).toBeLessThan(64 * 1024)
    const parsed = connectionEvent.parse(JSON.parse(JSON.stringify(snapshot)))
    expect(parsed).toEqual(snapshot)
    expect(toSnapshot(fromSnapshot(snapshot), { projectId: 'p' })).toEqual(snapshot)
  })

  test('the same output is stored once for all sessions, until the last of them is removed', async () => {
    const opened = await openLarge()
    const { log, sessions } = opened
    const [left, right] = [await run(opened, 'large'), await run(opened, 'large')]
    const hashes = [blobRefOf(Buffer.from(output)).hash, blobRefOf(png).hash]
    const areStored = () =>
      Promise.all(hashes.map(async (hash) => (await log.blobs.get(hash)) !== undefined))
    await sessions.remove(left)
    expect(await areStored()).toEqual([true, true])
    await sessions.remove(right)
    expect(await areStored()).toEqual([false, false])
  })

  test('output of 256 KiB stays in its event', async () => {
    const opened = await openLarge()
    const id = await run(opened, 'small')
    const small = output.slice(0, 256 * 1024)
    const [update] = ofType(opened.published, 'tool_execution_update')
    expect(update?.outputDelta).toBe(small)
    expect(opened.published.filter((event) => JSON.stringify(event).includes('"blob"'))).toEqual([])
    expect(await opened.log.blobs.get(blobRefOf(Buffer.from(small)).hash)).toBeUndefined()
    expect(await opened.log.head(id)).toBe(opened.published.length)
  })

  test('an image in a prompt to the real Pi becomes a blob', async () => {
    const model = await startModel()
    try {
      const opened = await open(piSetup('0.87', model.url))
      const { session } = await opened.sessions.create({
        agent: 'pi',
        cwd: opened.cwd,
        model: 'fake/fake-sonnet',
      })
      const picture = noisePng(320, 320)
      expect(picture.length).toBeGreaterThan(300 * 1024 - 1024)
      const data = picture.toString('base64')
      await session.prompt('scenario:text look', {
        images: [{ data, mimeType: 'image/png' }],
      })
      await session.idle()
      await session.stop()
      const [prompt] = ofType(opened.published, 'message_end').filter(
        ({ message }) => message.role === 'user',
      )
      const blob = { ...blobRefOf(picture), mimeType: 'image/png' }
      expect(prompt?.message.content).toMatchObject([
        { type: 'text', text: 'scenario:text look' },
        { type: 'image', data: '', mimeType: 'image/png', blob },
      ])
      expect(await bytesIn(opened.log, blob)).toEqual(picture)
      expect(JSON.stringify(model.requests).includes(data), 'the model got all of it').toBe(true)
    } finally {
      await close()
      close = async () => {}
      await model.close()
    }
  })
})

describe('a blob that cannot be stored', () => {
  test('fails the wait for it, however late that starts', async () => {
    const log = await openMemoryLog()
    const writer = createBlobWriter(log, 'nobody')
    const event: AgentEvent = {
      type: 'tool_execution_update',
      toolCallId: 't',
      toolName: 'bash',
      outputDelta: output,
    }
    writer.extract(event)
    await new Promise(setImmediate) // it has failed before anybody waits for it
    await expect(writer.stored()).rejects.toMatchObject({ code: 'unknown_session' })
    await log.sessions.create(record('nobody'))
    expect(writer.extract(event)).toMatchObject({
      blob: blobRefOf(Buffer.from(output), 'text/plain'),
    })
    await writer.stored()
    expect(await bytesIn(log, blobRefOf(Buffer.from(output)))).toEqual(Buffer.from(output))
    await log.close()
  })
})

test('events that close an interrupted run refer to the same blobs', () => {
  const blob = blobRefOf(Buffer.from(output), 'application/json')
  const call = { toolCallId: 't', toolName: 'write' }
  const open = createOpenState()
  const step = { contentIndex: 0, toolCallId: 't', name: 'write', input: {}, blob }
  const events: AgentEvent[] = [
    { type: 'agent_start' },
    { type: 'message_start', messageRole: 'assistant', messageId: 'm' },
    {
      type: 'message_update',
      messageId: 'm',
      assistantMessageEvent: { type: 'tool_use_end', ...step },
    },
    { type: 'tool_call', ...call, input: {}, blob },
  ]
  for (const event of events) open.push(event)
  const closing = open.close({ reason: 'interrupted' })
  expect(ofType(closing, 'message_end')).toMatchObject([{ message: { content: [{ blob }] } }])
  expect(ofType(closing, 'tool_execution_start')).toMatchObject([{ args: {}, blob }])
})

const bytesIn = async (log: Awaited<ReturnType<typeof openMemoryLog>>, { hash }: BlobRef) =>
  Buffer.from((await log.blobs.get(hash))?.bytes ?? [])
