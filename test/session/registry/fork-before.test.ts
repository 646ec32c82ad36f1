import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StampedEvent } from '../../../src/events/types.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import type { Sessions } from '../../../src/session/registry/sessions.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import { codexModel, codexSetup } from '../../agents/codex.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { ofType } from '../../support/decoded.ts'

interface Rig {
  title: string
  agent: string
  model: string
  setUp(modelUrl: string): { setup: AgentSetup | undefined; reason?: string }
}

const claudeModel = 'claude-sonnet-4-5'
const claudes = installedClaudes()
const all: Rig[] = [
  ...(['0.73', '0.87'] as const).map((version) => ({
    title: `Pi ${version}`,
    agent: 'pi',
    model: 'fake/fake-sonnet',
    setUp: (url: string) => ({ setup: piSetup(version, url) }),
  })),
  ...claudes.map(({ bin, version }) => ({
    title: `Claude Code ${version}`,
    agent: 'claude',
    model: claudeModel,
    setUp: (url: string) => claudeSetup(url, bin),
  })),
  { title: 'Codex', agent: 'codex', model: codexModel, setUp: (url: string) => codexSetup(url) },
]

const installed = all.filter(({ title, setUp }) => {
  const { setup, reason } = setUp('http://127.0.0.1')
  setup?.remove()
  if (!setup) console.log(`skipped: ${title}: ${reason}`)
  return setup !== undefined
})
if (claudes.length === 0) console.log('skipped: Claude Code: CLAUDE_BIN does not name one')

let model: Awaited<ReturnType<typeof startModel>>
let setup: AgentSetup
let log: Awaited<ReturnType<typeof openMemoryLog>>
let sessions: Sessions

const open = async (rig: Rig) => {
  model = await startModel()
  const found = rig.setUp(model.url).setup
  if (!found) throw new Error('the program went away')
  setup = found
  const program = agentProgram(setup)
  log = await openMemoryLog()
  sessions = await openSessions({
    ...{ log, findProgram: () => program, env: setup.env, policy: 'allow' },
    onError: (cause) => expect.unreachable(String(cause)),
  })
}
afterEach(async () => {
  await sessions.close()
  setup.remove()
  await model.close()
})

type Opened = Awaited<ReturnType<Sessions['create']>>
const run = async ({ session }: Opened, text: string) => {
  expect(await session.prompt(text)).toEqual({ outcome: 'accepted' })
  await session.idle()
}
const eventsOf = async ({ record }: Opened): Promise<StampedEvent[]> => {
  const events: StampedEvent[] = []
  for await (const event of log.read(record.id, 0)) events.push(event)
  return events
}
/** The id of the message that says this. */
const saying = async (opened: Opened, text: string): Promise<string> => {
  const found = ofType(await eventsOf(opened), 'message_end').find(
    ({ message }) => message.role === 'user' && JSON.stringify(message.content).includes(text),
  )
  if (!found) throw new Error(`nobody said ${text}`)
  return found.messageId
}
const sentToModel = () => JSON.stringify(model.requests.at(-1))
const failuresOf = async (opened: Opened) =>
  ofType(await eventsOf(opened), 'error').map(({ message }) => message)

/** The real programs, with a scripted model. */
describe.each(installed)('$title', (rig) => {
  beforeEach(() => open(rig))

  const create = () => sessions.create({ agent: rig.agent, cwd: setup.cwd, model: rig.model })

  test('continues from before a message, and again from there', async () => {
    const source = await create()
    await run(source, 'scenario:text the first is quince')
    await run(source, 'scenario:tool the second is medlar')
    await run(source, 'scenario:text the third is sorb')
    const before = await eventsOf(source)

    const beforeMessage = await saying(source, 'medlar')
    const fork = await sessions.fork(source.record.id, { beforeMessage })
    expect(fork.record).toMatchObject({
      forkedFrom: source.record.id,
      forkedBefore: beforeMessage,
    })
    await run(fork, 'scenario:tool the other is rowan')
    expect(await failuresOf(fork)).toEqual([])
    expect(sentToModel()).toContain('quince')
    expect(sentToModel()).toContain('rowan')
    expect(sentToModel()).not.toMatch(/medlar|sorb/)
    expect(ofType(await eventsOf(fork), 'session_update')[0]?.notice?.text).toBe(
      `Continues from an earlier point of session ${source.record.id}, which stays as it is.`,
    )
    // Its tools still ask Sluice: an extension that was lost would be a hole.
    expect(ofType(await eventsOf(fork), 'tool_execution_end')).toHaveLength(1)

    // Its processes start slowly, and do not differ in what follows.
    if (rig.title === 'Pi 0.73') return

    // A fork of the fork, and its own next process.
    await run(fork, 'scenario:text then whitebeam')
    const again = await sessions.fork(fork.record.id, {
      beforeMessage: await saying(fork, 'whitebeam'),
    })
    await run(again, 'scenario:text finally hawthorn')
    expect(sentToModel()).toMatch(/quince.*rowan.*hawthorn/)
    expect(sentToModel()).not.toMatch(/medlar|whitebeam/)
    await again.session.stop()
    await run(again, 'scenario:text still hawthorn')
    expect(sentToModel()).not.toMatch(/medlar|whitebeam/)

    expect(await eventsOf(source)).toEqual(before)
    await run(source, 'scenario:text go on')
    expect(sentToModel()).toMatch(/quince.*medlar.*sorb/)
    expect(sentToModel()).not.toContain('rowan')
  })

  // Pi 0.73 is slow, and does not differ in this.
  test.skipIf(rig.title === 'Pi 0.73')(
    'before the first message, there is nothing to copy',
    async () => {
      const source = await create()
      await run(source, 'scenario:text the first is quince')
      const beforeMessage = await saying(source, 'quince')
      const fork = await sessions.fork(source.record.id, { beforeMessage })
      await run(fork, 'scenario:text the other is rowan')
      expect(sentToModel()).toContain('rowan')
      expect(sentToModel()).not.toContain('quince')
      // Of a fork of all, the first message has everything of the other session before it.
      const whole = await sessions.fork(source.record.id)
      await run(whole, 'scenario:text and medlar')
      const first = { beforeMessage: await saying(whole, 'medlar') }
      if (rig.agent !== 'pi')
        return expect(sessions.fork(whole.record.id, first)).rejects.toThrow(
          `Fork session ${source.record.id} instead.`,
        )
      await run(await sessions.fork(whole.record.id, first), 'scenario:text and sorb')
      expect(sentToModel()).toContain('quince')
      expect(sentToModel()).not.toContain('medlar')
    },
  )
})

const rewinding = installed.filter(({ agent }) => agent === 'claude')
describe.each(rewinding)('$title', (rig) => {
  beforeEach(() => open(rig))

  test('restores the files that it edited, after a trial, in the same and in another process', async () => {
    const source = await sessions.create({ agent: 'claude', cwd: setup.cwd, model: rig.model })
    const { session } = source
    const made = join(setup.cwd, 'made.txt')
    await run(source, 'scenario:write-one please')
    await run(source, 'scenario:write-two please')
    expect(readFileSync(made, 'utf8')).toBe('two and more\n')
    const second = await saying(source, 'write-two')
    const events = (await eventsOf(source)).length
    expect(await session.rewind(second, { dryRun: true })).toMatchObject({
      outcome: 'accepted',
      files: { paths: [made], insertions: 1, deletions: 1 },
    })
    expect(readFileSync(made, 'utf8')).toBe('two and more\n')
    expect(await eventsOf(source)).toHaveLength(events)

    expect(await session.rewind(second)).toMatchObject({ outcome: 'accepted' })
    expect(readFileSync(made, 'utf8')).toBe('one\n')
    const notices = ofType(await eventsOf(source), 'session_update').flatMap(
      ({ notice }) => notice?.text ?? [],
    )
    expect(notices.at(-1)).toContain('made.txt')

    await session.stop()
    expect(await session.rewind(await saying(source, 'write-one'))).toMatchObject({
      outcome: 'accepted',
    })
    expect(existsSync(made)).toBe(false)
    expect(await session.rewind('8f7a5e1c-0000-4000-8000-000000000000')).toMatchObject({
      outcome: 'refused',
    })
    expect(readdirSync(setup.cwd)).not.toContain('made.txt')
  })
})
