import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pi } from '../../../src/agents/pi/index.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { gate, openLive } from '../../support/live.ts'
import { processesOf } from '../../support/marked.ts'
import { patiently } from '../../support/patiently.ts'
import { programOf } from '../../support/program.ts'

const noticesOf = (events: readonly AgentEvent[]) =>
  ofType(events, 'session_update').flatMap(({ notice }) => notice?.text ?? [])
const restarted = 'The agent ended while it was starting. Sluice starts it again.'
const startedOver =
  'The agent has no record of this conversation. It starts a new one, without the earlier messages.'

/** Where a real Pi, before a scripted model, does something else than answer a prompt. */
describe('a session with Pi', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = (world: object = {}, more: object = {}) => {
    const session = openLive({ agent: pi, setup, model: 'fake/fake-sonnet', world, ...more })
    open.push(session)
    return session
  }

  /** Pi, but the next so many times it is killed as soon as it starts. */
  const mortal = () => {
    const program = programOf(setup)
    const file = join(setup.cwd, 'mortal')
    const count = join(setup.cwd, 'deaths')
    const script = `left=$(cat "${count}" 2>/dev/null || echo 0)
if [ "$left" -gt 0 ]; then echo $((left - 1)) > "${count}"; kill -9 $$; fi
exec "${program}" "$@"`
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return {
      program: () => file,
      dies: (times: number) => writeFileSync(count, String(times)),
    }
  }

  test('a command of an extension makes no run, and the session rests', async () => {
    const extensions = join(setup.env.PI_CODING_AGENT_DIR ?? '', 'extensions')
    mkdirSync(extensions, { recursive: true })
    writeFileSync(
      join(extensions, 'hello.js'),
      `export default (pi) => pi.registerCommand('hello', { handler: async () => {} })\n`,
    )
    const session = live({ runStartMs: 100 })
    expect(await session.prompt('/hello')).toEqual({ outcome: 'accepted' })
    await session.idle()
    expect(ofType(session.events, 'agent_start')).toEqual([])
    expect(textOf(await session.run('scenario:text please'))).not.toBe('')
  })

  test('that is killed at its start is started once more, with its history', async () => {
    const { program, dies } = mortal()
    const session = live({ program })
    await session.run('scenario:text the first')
    await session.stop()
    dies(1)
    const second = await session.run('scenario:text the second')
    expect(noticesOf(second)).toEqual([restarted])
    expect(JSON.stringify(model.requests.at(-1))).toContain('the first')
  })

  test('that is killed each time fails the prompt; the history is still there later', async () => {
    const { program, dies } = mortal()
    const session = live({ program })
    await session.run('scenario:text the first')
    await session.stop()
    dies(2)
    expect(await session.prompt('scenario:text the second')).toMatchObject({
      outcome: 'failed',
      code: 'agent_not_started',
      error: expect.stringContaining('SIGKILL'),
    })
    expect(session.isBusy()).toBe(false)
    await session.run('scenario:text the third')
    expect(noticesOf(session.events)).not.toContain(startedOver)
    expect(JSON.stringify(model.requests.at(-1))).toContain('the first')
  })

  test('that says that it knows no such conversation begins anew', async () => {
    const session = live({}, { nativeId: 'a1b2c3d4-0000-4000-8000-000000000000', head: 3 })
    const events = await session.run('scenario:text please')
    expect(noticesOf(events)).toEqual([startedOver])
    expect(textOf(events)).not.toBe('')
  })

  test('that dies takes along what it started, in groups of its own', async () => {
    const id = `death-${process.pid}`
    const session = live({ id })
    await session.prompt('scenario:slow-tool please')
    await session.until((event) => event.type === 'tool_execution_update')
    const [pid] = session.changes.flatMap((change) => ('pid' in change ? [change.pid] : []))
    expect(processesOf(id).length).toBeGreaterThan(1)
    process.kill(Number(pid), 'SIGKILL')
    await session.until((event) => event.type === 'agent_end')
    await patiently(() => expect(processesOf(id)).toEqual([]))
  })

  test('what waits in its own queue is told of when the run is aborted', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until((event) => event.type === 'message_update')
    await session.followUp('scenario:text later')
    await session.abort()
    expect(noticesOf(session.events)).toEqual([
      '1 message is still queued. It will be sent after your next prompt.',
    ])
  })

  test('arguments that are no object are not run with', async () => {
    const session = live({ gate })
    await session.prompt('scenario:tool please')
    const asked = await session.until((event) => event.type === 'approval_request')
    if (asked.type !== 'approval_request') throw new Error('no request')
    session.answer(asked.approvalId, { action: 'allow', updatedInput: 'touch never' })
    await session.until((event) => event.type === 'agent_end')
    const [result] = ofType(session.events, 'tool_result')
    expect(result?.message).toMatchObject({
      isError: true,
      content: [{ text: 'Denied: the arguments to run with are not an object.' }],
    })
    expect(existsSync(join(setup.cwd, 'never'))).toBe(false)
  })
})
