import { afterEach, describe, expect, test } from 'vitest'
import { demo } from '../../../src/agents/demo/index.ts'
import { createStream } from '../../../src/agents/stream.ts'
import { checkOrder } from '../../../src/events/order.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { startProcess } from '../../../src/process/spawn.ts'
import { createSandbox } from '../../agents/sandbox.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { type LiveSessionOptions, openLiveSession } from '../../support/live-session.ts'

/** Real processes of the demo agent. */
describe('a session with the demo agent', () => {
  const open: { close(): Promise<void> }[] = []
  const boxes: { remove(): void }[] = []

  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    for (const box of boxes.splice(0)) box.remove()
  })

  const live = (
    pace = 0,
    more: Partial<Pick<LiveSessionOptions, 'nativeId' | 'head' | 'deps'>> = {},
  ) => {
    const box = createSandbox('demo')
    boxes.push(box)
    const setup = {
      ...box,
      // The demo’s own arguments name its file, so the program is Node alone.
      argv: [process.execPath, '--'],
      env: { ...box.env, SLUICE_DEMO_PACE: String(pace) },
    }
    const session = openLiveSession({ agent: demo, setup, model: 'demo-script', ...more })
    open.push(session)
    return session
  }

  test('reports that it is a demo, and answers each prompt with one run', async () => {
    const session = live()
    expect(textOf(await session.run('think'))).toContain('no model is behind it')
    const second = await session.run('parallel')
    expect(ofType(second, 'tool_call')).toHaveLength(2)
    expect(ofType(session.events, 'session_start')).toMatchObject([{ agent: 'demo' }])
    expect(session.events.filter(({ type }) => type === 'raw' || type === 'error')).toEqual([])
  })

  test('goes on when its process dies while the files of the project are checked', async () => {
    let key = 'before'
    let onCheck = async () => {}
    const startInProject = async () => {
      await onCheck()
      return { args: [], key, leftOut: [] }
    }
    const ended = Promise.withResolvers<void>()
    const session = live(0, { deps: { startInProject, onEnd: () => ended.resolve() } })
    await session.run('think')
    onCheck = async () => {
      onCheck = async () => {}
      process.kill(Number(session.changes.findLast(({ pid }) => pid)?.pid), 'SIGKILL')
      await ended.promise
      key = 'after'
    }
    for (const _ of [1, 2])
      expect(ofType(await session.run('think'), 'agent_end')).toMatchObject([{ type: 'agent_end' }])
  })

  test('reports its cost as an estimate', async () => {
    const session = live()
    await session.run('think')
    expect(ofType(session.events, 'usage_update').at(-1)?.totals).toMatchObject({
      costUsd: expect.any(Number),
      provenance: { tokens: 'estimated', cost: 'estimated' },
    })
  })

  const openRequest = async (word: string) => {
    const session = live()
    await session.prompt(word)
    const request = await session.until((event) => event.type === 'approval_request')
    if (request.type !== 'approval_request') throw new Error('no request')
    return { session, request }
  }

  test('queues 100 messages and refuses more', async () => {
    const { session } = await openRequest('tool')
    const followUp = (text: string) => session.followUp(text)
    for (let sent = 0; sent < 100; sent += 1)
      expect(await followUp(`message ${sent}`)).toEqual({ outcome: 'accepted' })
    await session.until(
      (event) => event.type === 'queue_update' && event.queued.followUp.length === 100,
    )
    expect(await followUp('too much')).toMatchObject({ outcome: 'refused' })
    expect(await session.steer('too much')).toMatchObject({ outcome: 'refused' })
  })

  test('a tool that is allowed prints its output and reports its exit code', async () => {
    const { session, request } = await openRequest('tool')
    session.answer(request.approvalId, { action: 'allow', by: 'me' })
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'tool_execution_end')).toMatchObject([
      { toolCallId: request.toolCallId, exitCode: 0, isError: false },
    ])
    expect(ofType(session.events, 'tool_execution_update').length).toBeGreaterThan(0)
    expect(ofType(session.events, 'approval_resolved')).toMatchObject([
      { outcome: 'answered', by: 'me' },
    ])
  })

  test('a tool that is denied does not run, and the demo reports the reason', async () => {
    const { session, request } = await openRequest('tool')
    session.answer(request.approvalId, { action: 'deny', message: 'Not today.' })
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'tool_result')[0]?.message).toMatchObject({
      isError: true,
      content: [{ text: 'Not today.' }],
    })
    expect(textOf(session.events)).toContain('Not today.')
  })

  test('an allowed tool runs with the input from the decision', async () => {
    const { session, request } = await openRequest('tool')
    const updatedInput = { command: 'echo rewritten' }
    session.answer(request.approvalId, { action: 'allow', updatedInput })
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'tool_execution_start')).toMatchObject([{ args: updatedInput }])
    const output = ofType(session.events, 'tool_execution_update').map((event) => event.outputDelta)
    expect(output.join('')).toContain('$ echo rewritten')
  })

  test('abort while a request is open ends the request and the run', async () => {
    const { session } = await openRequest('tool')
    await session.abort()
    expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
    expect(session.isBusy()).toBe(false)
  })

  test('a steering message is accepted at the next step and changes the answer', async () => {
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

  test('a follow-up is answered after the prompt', async () => {
    const session = live(10)
    await session.prompt('parallel')
    await session.until((event) => event.type === 'message_update')
    expect(await session.followUp('think')).toEqual({ outcome: 'accepted' })
    await session.idle()
    const roles = ofType(session.events, 'message_end').map(({ message }) => message.role)
    expect(roles).toEqual(['user', 'assistant', 'assistant', 'user', 'assistant'])
    expect(textOf(session.events)).toContain('Both are done.')
    const queued = ofType(session.events, 'queue_update').map((event) => event.queued.followUp)
    expect(queued).toEqual([['think'], []])
  })

  test('abort stops a text, leaves messages queued, and the session continues', async () => {
    const session = live(5)
    await session.prompt('long')
    await session.until((event) => event.type === 'message_update')
    await session.followUp('think')
    await session.abort()
    const cut = ofType(session.events, 'message_end').at(-1)
    expect(cut?.message).toMatchObject({ role: 'assistant', stopReason: 'aborted' })
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    expect(ofType(session.events, 'queue_update').at(-1)?.queued.followUp).toEqual(['think'])
    await session.run('fail')
    await session.idle()
    expect(ofType(session.events, 'message_end').at(-1)?.message).toMatchObject({
      content: [{ type: 'thinking' }, { text: 'Done.' }],
    })
  })

  test('abort stops a tool', async () => {
    const session = live(30)
    await session.prompt('fail')
    await session.until((event) => event.type === 'tool_execution_update')
    await session.abort()
    expect(ofType(session.events, 'tool_execution_end')).toMatchObject([{ interrupted: true }])
    expect(ofType(session.events, 'tool_result')).toMatchObject([
      { message: { interrupted: true } },
    ])
    expect(ofType(session.events, 'turn_end').at(-1)).toMatchObject({ stopReason: 'aborted' })
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  })

  test('compacts, and changes its model and its name', async () => {
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

  test('continues a conversation by its id', async () => {
    const session = live(0, { nativeId: 'demo-before', head: 7 })
    expect(textOf(await session.run('think'))).toContain('Continuing conversation demo-before.')
    expect(session.changes).toContainEqual(expect.objectContaining({ nativeId: 'demo-before' }))
  })

  test('when it dies, its run is closed, and the next prompt continues the conversation', async () => {
    const session = live(5)
    await session.prompt('long')
    await session.until((event) => event.type === 'message_update')
    const [pid] = session.changes.flatMap((change) => ('pid' in change ? [change.pid] : []))
    process.kill(Number(pid), 'SIGKILL')
    await session.until((event) => event.type === 'agent_end')
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ interrupted: true }])
    expect(textOf(await session.run('think'))).toContain('Continuing conversation demo-')
  })
})

/** The demo program alone, as a process, with its events. */
const startProgram = async (args: readonly string[], pace: number, stdin: boolean) => {
  const stream = createStream(demo)
  const events: AgentEvent[] = []
  const hasText = Promise.withResolvers<void>()
  const child = await startProcess({
    program: process.execPath,
    args,
    cwd: process.cwd(),
    env: { ...process.env, SLUICE_DEMO_PACE: String(pace) },
    stdin,
    onChunk(chunk) {
      events.push(...stream.push(chunk))
      if (events.some(({ type }) => type === 'message_update')) hasText.resolve()
    },
  })
  const result = async () => {
    const exit = await child.done
    events.push(...stream.end())
    expect(checkOrder(events)).toEqual([])
    return { ...exit, stderr: child.stderr(), events }
  }
  return { ...child, hasText: hasText.promise, result }
}

describe('the demo program', () => {
  const args = demo.live?.args({}) ?? []

  test('survives invalid input, and ends when stdin closes', async () => {
    const child = await startProgram(args, 5, true)
    await child.write('x\n\u0000\nnull\n{"type":[]}\n{"type":"prompt","id":"1","text":"long"}\n{')
    await child.hasText
    child.closeInput()
    const { code, stderr, events } = await child.result()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(ofType(events, 'error')).toHaveLength(4)
    expect(events.findLast(({ type }) => type === 'agent_end')).toMatchObject({
      stopReason: 'aborted',
    })
  })

  test('answers one prompt and ends, without approval requests', async () => {
    const child = await startProgram(demo.command('tool'), 0, false)
    const { code, events } = await child.result()
    expect(code).toBe(0)
    expect(ofType(events, 'approval_request')).toEqual([])
    expect(ofType(events, 'approval_resolved')).toMatchObject([{ outcome: 'policy', by: 'demo' }])
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'stop' })
  })

  test('ends at once on a signal, and reports the run as aborted', async () => {
    const child = await startProgram(demo.command('long'), 20, false)
    await child.hasText
    await child.stop({ signals: demo.stopSignals })
    const { code, events } = await child.result()
    expect(code).toBe(0)
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'aborted' })
  })
})
