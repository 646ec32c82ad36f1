import { afterEach, describe, expect, test } from 'vitest'
import { demo } from '../../../src/agents/demo/index.ts'
import { createStream } from '../../../src/agents/stream.ts'
import { checkOrder } from '../../../src/events/order.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { startProcess } from '../../../src/process/spawn.ts'
import { createSandbox } from '../../agents/sandbox.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLive } from '../../support/live.ts'

/** Real processes of the demo. */
describe('a session with the demo', () => {
  const open: { close(): Promise<void> }[] = []
  const boxes: { remove(): void }[] = []

  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    for (const box of boxes.splice(0)) box.remove()
  })

  const live = (pace = 0, more: { nativeId?: string; head?: number } = {}) => {
    const box = createSandbox('demo')
    boxes.push(box)
    const setup = {
      ...box,
      // The program’s own arguments name its file: Node alone is what is started.
      argv: [process.execPath, '--'],
      env: { ...box.env, SLUICE_DEMO_PACE: String(pace) },
    }
    const session = openLive({ agent: demo, setup, model: 'demo-script', ...more })
    open.push(session)
    return session
  }

  test('says what it is, and answers prompts, one run each', async () => {
    const session = live()
    expect(textOf(await session.run('think'))).toContain('no model is behind it')
    const second = await session.run('parallel')
    expect(ofType(second, 'tool_call')).toHaveLength(2)
    expect(ofType(session.events, 'session_start')).toMatchObject([{ agent: 'demo' }])
    expect(session.events.filter(({ type }) => type === 'raw' || type === 'error')).toEqual([])
  })

  test('its money is told as an estimate', async () => {
    const session = live()
    await session.run('think')
    expect(ofType(session.events, 'usage_update').at(-1)?.totals).toMatchObject({
      costUsd: expect.any(Number),
      provenance: { tokens: 'estimated', cost: 'estimated' },
    })
  })

  const asking = async (word: string) => {
    const session = live()
    await session.prompt(word)
    const asked = await session.until((event) => event.type === 'approval_request')
    if (asked.type !== 'approval_request') throw new Error('no request')
    return { session, asked }
  }

  test('so many messages may wait for it, and no more', async () => {
    const { session } = await asking('tool')
    const later = (text: string) => session.followUp(text)
    for (let sent = 0; sent < 100; sent += 1)
      expect(await later(`later ${sent}`)).toEqual({ outcome: 'accepted' })
    await session.until(
      (event) => event.type === 'queue_update' && event.queued.followUp.length === 100,
    )
    expect(await later('too much')).toMatchObject({ outcome: 'refused' })
    expect(await session.steer('too much')).toMatchObject({ outcome: 'refused' })
  })

  test('allowed, a tool prints its lines and ends with its exit code', async () => {
    const { session, asked } = await asking('tool')
    session.answer(asked.approvalId, { action: 'allow', by: 'me' })
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'tool_execution_end')).toMatchObject([
      { toolCallId: asked.toolCallId, exitCode: 0, isError: false },
    ])
    expect(ofType(session.events, 'tool_execution_update').length).toBeGreaterThan(0)
    expect(ofType(session.events, 'approval_resolved')).toMatchObject([
      { outcome: 'answered', by: 'me' },
    ])
  })

  test('denied, it does not run, and the demo tells why', async () => {
    const { session, asked } = await asking('tool')
    session.answer(asked.approvalId, { action: 'deny', message: 'Not today.' })
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'tool_result')[0]?.message).toMatchObject({
      isError: true,
      content: [{ text: 'Not today.' }],
    })
    expect(textOf(session.events)).toContain('Not today.')
  })

  test('with another input, it runs that', async () => {
    const { session, asked } = await asking('tool')
    const updatedInput = { command: 'echo rewritten' }
    session.answer(asked.approvalId, { action: 'allow', updatedInput })
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'tool_execution_start')).toMatchObject([{ args: updatedInput }])
    const output = ofType(session.events, 'tool_execution_update').map((event) => event.outputDelta)
    expect(output.join('')).toContain('$ echo rewritten')
  })

  test('abort with the question open ends both', async () => {
    const { session } = await asking('tool')
    await session.abort()
    expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
    expect(session.isBusy()).toBe(false)
  })

  test('a steer is taken at the next step and changes the answer', async () => {
    const session = live(10)
    await session.prompt('parallel')
    await session.until((event) => event.type === 'message_update')
    expect(await session.prompt('tool')).toMatchObject({ outcome: 'busy' })
    expect(await session.steer('rather fail')).toEqual({ outcome: 'accepted' })
    await session.until((event) => event.type === 'agent_end')
    const queued = ofType(session.events, 'queue_update').map((event) => event.queued.steering)
    expect(queued).toEqual([['rather fail'], []])
    expect(textOf(session.events)).toContain('You steered me: “rather fail”.')
    expect(textOf(session.events)).not.toContain('Both are done.')
    expect(ofType(session.events, 'tool_execution_end').at(-1)).toMatchObject({ exitCode: 2 })
  })

  test('a follow-up runs when the first is done', async () => {
    const session = live(10)
    await session.prompt('parallel')
    await session.until((event) => event.type === 'message_update')
    expect(await session.followUp('think')).toEqual({ outcome: 'accepted' })
    await session.until((event) => event.type === 'agent_end')
    const said = ofType(session.events, 'message_end').map(({ message }) => message.role)
    expect(said).toEqual(['user', 'assistant', 'assistant', 'user', 'assistant'])
    expect(textOf(session.events)).toContain('Both are done.')
    const queued = ofType(session.events, 'queue_update').map((event) => event.queued.followUp)
    expect(queued).toEqual([['think'], []])
  })

  test('abort ends the text, what waits stays, and the session goes on', async () => {
    const session = live(5)
    await session.prompt('long')
    await session.until((event) => event.type === 'message_update')
    await session.followUp('think')
    await session.abort()
    const cut = ofType(session.events, 'message_end').at(-1)
    expect(cut?.message).toMatchObject({ role: 'assistant', stopReason: 'aborted' })
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    expect(ofType(session.events, 'queue_update').at(-1)?.queued.followUp).toEqual(['think'])
    expect(ofType(await session.run('fail'), 'message_end').at(-1)?.message).toMatchObject({
      content: [{ type: 'thinking' }, { text: 'Done.' }],
    })
  })

  test('abort ends a tool', async () => {
    const session = live(30)
    await session.prompt('fail')
    await session.until((event) => event.type === 'tool_execution_update')
    await session.abort()
    expect(ofType(session.events, 'tool_execution_end')).toMatchObject([{ isError: true }])
    expect(ofType(session.events, 'turn_end').at(-1)).toMatchObject({ stopReason: 'aborted' })
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  })

  test('compacts, and takes another model and a name', async () => {
    const session = live()
    await session.run('think')
    expect(await session.compact()).toEqual({ outcome: 'accepted' })
    await session.until((event) => event.type === 'compaction_end')
    expect(ofType(session.events, 'compaction_end')).toMatchObject([
      { summary: expect.any(String), tokensAfter: expect.any(Number) },
    ])
    expect(await session.setModel('other')).toEqual({ outcome: 'accepted' })
    expect(await session.setName('Show')).toEqual({ outcome: 'accepted' })
    expect(session.changes).toContainEqual({ name: 'Show' })
    expect(ofType(await session.run('think'), 'message_start').at(-1)?.model).toBe('other')
  })

  test('goes on with a conversation by its id, and says so', async () => {
    const session = live(0, { nativeId: 'demo-before', head: 7 })
    expect(textOf(await session.run('think'))).toContain('Going on with conversation demo-before.')
    expect(session.changes).toContainEqual(expect.objectContaining({ nativeId: 'demo-before' }))
  })

  test('when it dies in mid-text the run is closed, and the next prompt goes on', async () => {
    const session = live(5)
    await session.prompt('long')
    await session.until((event) => event.type === 'message_update')
    const [pid] = session.changes.flatMap((change) => ('pid' in change ? [change.pid] : []))
    process.kill(Number(pid), 'SIGKILL')
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ interrupted: true }])
    expect(textOf(await session.run('think'))).toContain('Going on with conversation demo-')
  })
})

/** The program alone, as a process, with what it tells. */
const startProgram = async (args: readonly string[], pace: number, stdin: boolean) => {
  const stream = createStream(demo)
  const events: AgentEvent[] = []
  const spoke = Promise.withResolvers<void>()
  const child = await startProcess({
    program: process.execPath,
    args,
    cwd: process.cwd(),
    env: { ...process.env, SLUICE_DEMO_PACE: String(pace) },
    stdin,
    onChunk(chunk) {
      events.push(...stream.push(chunk))
      if (events.some(({ type }) => type === 'message_update')) spoke.resolve()
    },
  })
  const told = async () => {
    const exit = await child.done
    events.push(...stream.end())
    expect(checkOrder(events)).toEqual([])
    return { ...exit, stderr: child.stderr(), events }
  }
  return { ...child, spoke: spoke.promise, told }
}

describe('the demo’s process', () => {
  const args = demo.live?.args({}) ?? []

  test('takes garbage on stdin, and ends when stdin closes', async () => {
    const child = await startProgram(args, 5, true)
    await child.write('x\n\u0000\nnull\n{"type":[]}\n{"type":"prompt","id":"1","text":"long"}\n{')
    await child.spoke
    child.closeInput()
    const { code, stderr, events } = await child.told()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(ofType(events, 'error')).toHaveLength(4)
    expect(events.findLast(({ type }) => type === 'agent_end')).toMatchObject({
      stopReason: 'aborted',
    })
  })

  test('plays one prompt and ends, asking nobody', async () => {
    const child = await startProgram(demo.command('tool'), 0, false)
    const { code, events } = await child.told()
    expect(code).toBe(0)
    expect(ofType(events, 'approval_request')).toEqual([])
    expect(ofType(events, 'approval_resolved')).toMatchObject([{ outcome: 'policy', by: 'demo' }])
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'stop' })
  })

  test('a signal stops it at once, and the run is told to be aborted', async () => {
    const child = await startProgram(demo.command('long'), 20, false)
    await child.spoke
    await child.stop({ signals: demo.stopSignals })
    const { code, events } = await child.told()
    expect(code).toBe(0)
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'aborted' })
  })
})
