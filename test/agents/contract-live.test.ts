import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { knownAgents } from '../../src/agents/known-agents.ts'
import type { Capabilities, StampedEvent } from '../../src/events/types.ts'
import { deltasOf, ofType, textOf } from '../support/decoded.ts'
import { eventually } from '../support/eventually.ts'
import { type ContractRig, openContractRig } from './contract-rig.ts'
import { installedLiveAgents, liveAgents } from './live-agents.ts'

const isEnd = ({ type }: StampedEvent) => type === 'agent_end'
const hasText = (event: StampedEvent) => deltasOf([event]).length > 0
const hello = 'Hello from the model.'
/** What the model says after the call. */
const over = /It is (over|changed)\./

test('every agent with sessions is held to this contract', () => {
  // Cline needs a sign-in, the demo is no real agent, and the adapters stand for all of ACP.
  const others = ['cline', 'demo', 'acp']
  const expected = knownAgents
    .filter(({ name, capabilities }) => capabilities.isLive && !others.includes(name))
    .map(({ name }) => name)
  const rows = liveAgents.filter(({ isAdapter }) => !isAdapter).map(({ agent }) => agent.name)
  expect(new Set(rows)).toEqual(new Set(expected))
})

/** What every agent does, driven as a session, with the real program and a scripted model. */
describe.each(installedLiveAgents())('$title', (live) => {
  let rig: ContractRig
  beforeAll(async () => {
    rig = await openContractRig(live)
  })
  afterAll(() => rig.close())

  const call = `scenario:${live.call} please`

  /** What the agent claims, with what it found out about itself when it started. */
  const capabilities = (): Capabilities => {
    const changes = ofType(rig.session.events, 'session_update').map((each) => each.capabilities)
    return Object.assign({ ...live.agent.capabilities }, ...changes)
  }
  const lastRequest = () => rig.model.requests.findLast(({ position }) => position)?.body ?? ''

  test('prompt and text: a prompt is one run with the text of the model', async () => {
    const events = await rig.run('text')
    expect(textOf(events)).toBe(hello)
    expect(ofType(events, 'agent_start')).toHaveLength(1)
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    expect(ofType(rig.session.events, 'raw')).toEqual([])
    expect(ofType(rig.session.events, 'session_start')).toMatchObject([{ agent: live.agent.name }])
  })

  test('usage: tokens are counted, and the cost is what the agent claims', async () => {
    const { totals } = ofType(rig.session.events, 'usage_update').at(-1) ?? {}
    const { cost } = capabilities()
    // What an adapter claims is what the protocol can do.
    if (live.isAdapter) return
    if (cost !== 'none') expect((totals?.input ?? 0) + (totals?.cacheRead ?? 0)).toBeGreaterThan(0)
    if (cost === 'reported') expect(totals?.costUsd).toBeGreaterThan(0)
    else expect(totals?.provenance.cost ?? null).not.toBe('reported')
  })

  test('tool and approval: a call that is allowed runs and returns its result', async () => {
    const events = await rig.run(live.call)
    expect(ofType(events, 'approval_request')).toMatchObject([{ kind: 'tool' }])
    expect(ofType(events, 'approval_resolved')).toMatchObject([{ action: 'allow' }])
    const calls = ofType(events, 'tool_call')
    expect(calls).toHaveLength(1)
    expect(ofType(events, 'tool_result')).toMatchObject([
      { message: { toolCallId: calls[0]?.toolCallId, isError: false } },
    ])
    expect(textOf(events)).toMatch(over)
    expect(rig.hasRun()).toBe(true)
  })

  test('approval: a call that is denied does not run, and the session goes on', async () => {
    const events = await rig.run(live.call, 'deny')
    expect(ofType(events, 'approval_resolved')).toMatchObject([{ action: 'deny' }])
    expect(ofType(events, 'tool_result')).toMatchObject([{ message: { isError: true } }])
    expect(over.test(textOf(events))).toBe(live.goesOnAfterDenial)
    expect(rig.hasRun()).toBe(false)
    expect(textOf(await rig.run('text'))).toBe(hello)
  })

  test('abort: a text stops, and the same process answers the next prompt', async () => {
    const pid = rig.pid()
    const { from } = await rig.runUntil('slow', hasText)
    await rig.session.abort()
    expect(await rig.session.until(isEnd, from)).toMatchObject({ stopReason: 'aborted' })
    expect(textOf(await rig.run('text'))).toBe(hello)
    expect(rig.pid() === pid).toBe(capabilities().abort)
  })

  test('abort: an open request is refused, and its call does not run', async () => {
    const from = rig.session.events.length
    await rig.session.prompt(call)
    await rig.session.until(({ type }) => type === 'approval_request', from)
    await rig.session.abort()
    await rig.session.until(isEnd, from)
    expect(ofType(rig.session.events.slice(from), 'approval_resolved')).toHaveLength(1)
    expect(rig.session.pendingApprovals()).toEqual([])
    expect(rig.hasRun()).toBe(false)
  })

  test('live output: shown while a command runs, if the agent claims it', async () => {
    const from = rig.session.events.length
    const seen = rig.session.until(({ type }) => type === 'tool_execution_update', from)
    void seen.then(() => writeFileSync(join(rig.setup.cwd, 'seen.txt'), ''))
    const events = await rig.run('ticks')
    const end = events.findIndex(({ type }) => type === 'tool_execution_end')
    const shown = ofType(events.slice(0, end), 'tool_execution_update')
    if (!live.isAdapter) expect(shown.length > 0).toBe(capabilities().liveOutput)
  })

  test('steer: a message in a run joins it or waits for its end, as the agent claims', async () => {
    const from = rig.session.events.length
    await rig.session.prompt(call)
    const request = await rig.session.until(({ type }) => type === 'approval_request', from)
    const steered = await rig.session.steer('And the word is medlar')
    if (steered.outcome === 'unsupported') await rig.session.followUp('And the word is medlar')
    if (request.type === 'approval_request')
      rig.session.answer(request.approvalId, { action: 'allow' })
    await eventually(() =>
      expect(rig.model.requests.some(({ body }) => body.includes('medlar'))).toBe(true),
    )
    await rig.session.idle()
    expect(rig.hasRun()).toBe(true)
    const runs = ofType(rig.session.events.slice(from), 'agent_start').length
    const joined = { outcome: 'accepted', runs: 1 }
    const waited = { outcome: 'unsupported', runs: 2 }
    expect({ ...steered, runs }).toEqual(capabilities().steer ? joined : waited)
  })

  test('images: the model gets them, if the agent claims it', async () => {
    const from = rig.session.events.length
    const before = rig.model.requests.length
    const images = [{ type: 'image' as const, data: pixel, mimeType: 'image/png' }]
    const sent = await rig.session.prompt('scenario:text please', { images })
    expect(sent.outcome === 'accepted').toBe(capabilities().images)
    if (!capabilities().images) return
    await rig.session.until(isEnd, from)
    const requests = rig.model.requests.slice(before)
    expect(requests.some(({ body }) => body.includes(pixel))).toBe(!live.isModelBlind)
  })

  test('models, modes and the rest: what is not claimed is refused', async () => {
    const { models, modes, thinking, compact, stopTask, shell, switches } = capabilities()
    const { session } = rig
    expect(((await session.models()) ?? []).length > 0).toBe(models)
    const reported = ofType(session.events, 'session_update').findLast((each) => each.modes)
    if (reported && modes.length > 0)
      expect(reported.modes?.map(({ id }) => id).toSorted()).toEqual(
        modes.map(({ id }) => id).toSorted(),
      )
    const unsupported = { outcome: 'unsupported' }
    if (thinking.length === 0 && !reported)
      expect(await session.setThinking('high')).toEqual(unsupported)
    if (!compact) expect(await session.compact()).toEqual(unsupported)
    if (!stopTask) expect(await session.stopTask('x')).toEqual(unsupported)
    if (!shell) expect(await session.runShell('true')).toEqual(unsupported)
    if (!switches?.length) expect(await session.setSwitch('autoRetry', false)).toEqual(unsupported)
  })

  test('stop, resume and death: nothing is left, and the next process goes on', async () => {
    await rig.session.run('scenario:text the word is quince')
    const remembers = () => lastRequest().includes('quince')

    // Stopped in the middle of a command.
    const { from } = await rig.runUntil('tree', ({ type }) => type === 'tool_execution_start')
    const tree = await eventually(() => {
      const all = rig.processes()
      expect(all.length).toBeGreaterThan(2)
      return all
    })
    await rig.session.stop()
    expect(ofType(rig.session.events.slice(from), 'agent_end')).toHaveLength(1)
    await eventually(() => expect(rig.left(tree)).toEqual([]))

    expect(textOf(await rig.run('text'))).toContain(hello)
    expect(remembers()).toBe(capabilities().resume)

    // Killed in the middle of a text.
    const { from: second } = await rig.runUntil('slow', hasText)
    const all = rig.processes()
    process.kill(rig.pid(), 'SIGKILL')
    expect(await rig.session.until(isEnd, second)).toMatchObject({ stopReason: 'interrupted' })
    await eventually(() => expect(rig.left(all)).toEqual([]))

    expect(textOf(await rig.run('text'))).toContain(hello)
    expect(remembers()).toBe(capabilities().resume)
  })
})

/** A picture of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
