import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { StampedEvent } from '../../../src/events/types.ts'
import { natsMissing } from '../../support/nats-server.ts'
import { createServerDirectories } from '../../support/server-process.ts'
import { root } from '../../support/sluice.ts'
import { compareSession } from '../compare.ts'
import { type Fault, requireThat, type Trial } from '../fault.ts'
import type { Random } from '../random.ts'
import { until } from '../server.ts'
import { createWitness, type Witness } from '../witness.ts'
import {
  type CommandHistory,
  createCommandHistory,
  requestOptions,
  type StoredPrompt,
} from './command-history.ts'
import { revokeKey } from './revoke-key.ts'
import { createRig, type Rig } from './rig.ts'
import { openRigLog } from './rig-log.ts'
import { startRoamingReader } from './roaming-reader.ts'
import { createServerNode, type ServerNode } from './server-node.ts'
import { strikeAll } from './strike-all.ts'

const sessionCount = 4
/** How long the cluster may take to work again after a fault is over. */
const recoveryMs = 120_000

interface NodesRig extends Rig {
  readonly nodes: readonly ServerNode[]
  readonly commands: CommandHistory
  readonly witness: Witness
  /** How many runs of each session have ended since the start. */
  readonly runs: Map<string, number>
  /** Rejects when a promise was broken. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** Real servers as nodes: commands and readers go through any of them. */
export const nodesFault = (rounds?: readonly string[]): Fault => ({
  name: 'nodes',
  title: 'faults of three servers over three NATS servers',
  problem: natsMissing,
  async run(trial) {
    const rig = await startNodes(trial)
    await untilWorking(rig, 'the start')
    const striking = strikeAll(rig, trial, {
      rounds,
      untilWorking: (after) => untilWorking(rig, after),
    })
    await Promise.race([striking, rig.failed])
    await rig.stop()
    await Promise.all(rig.nodes.map((node) => node.stop()))
    await compareAll(rig, trial)
    for (const [outcome, count] of rig.commands.outcomes) trial.count(outcome, count)
    for (const [answer, count] of rig.commands.retried) trial.count(`sent again: ${answer}`, count)
  },
})

const startNodes = async (trial: Trial): Promise<NodesRig> => {
  const shared = createServerDirectories()
  trial.defer(shared.remove)
  const agent = join(shared.projects, '..', 'agent')
  const script = join(root, 'test/faults/agents/streaming-agent.js')
  writeFileSync(agent, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`, { mode: 0o755 })
  const { projects } = shared
  const rig = await createRig(trial, (settings) => createServerNode(settings, { projects, agent }))
  await Promise.all(rig.nodes.map((node) => node.start()))
  const [first] = rig.nodes
  const client = first?.current()?.client
  requireThat(client !== undefined, 'the first node runs')
  const token = first?.current()?.token ?? ''
  const project = await client.projects.create({ name: 'P', path: projects })
  const sessions = await Promise.all(
    Array.from({ length: sessionCount }, (_, at) =>
      client.sessions.create({ projectId: project.id, agent: at === 0 ? 'demo' : 'claude' }),
    ),
  )
  const sessionIds = sessions.map(({ id }) => id)
  const commands = createCommandHistory(rig.nodes, token, trial.random)
  const revoke = (random: Random) => revokeKey({ ...rig, sessionIds, commands }, random)
  return work(trial, {
    ...{ ...rig, sessionIds, commands, token, revokeKey: revoke, writerOf: () => undefined },
  })
}

/** Starts to prompt every session again and again, with readers that move between the nodes. */
const work = (
  trial: Trial,
  rig: Omit<NodesRig, 'witness' | 'runs' | 'failed' | 'stop'> & { token: string },
): NodesRig => {
  const witness = createWitness()
  const runs = new Map<string, number>()
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {}) // it is awaited by the trial
  const over = new AbortController()
  const readers = [...rig.sessionIds, ...rig.sessionIds].map((id) =>
    startRoamingReader(id, { ...rig, ...trial, witness, fail: failure.reject }),
  )
  const prompting = rig.sessionIds.map(async (id, at) => {
    while (!over.signal.aborted) {
      const outcome = await runOnce(rig, trial, id, at === 0)
      if (outcome === 'accepted') runs.set(id, (runs.get(id) ?? 0) + 1)
      await pause(20)
    }
  })
  for (const each of prompting) each.catch(failure.reject)
  const stop = async (): Promise<void> => {
    over.abort()
    await Promise.all(prompting)
    await Promise.all(readers.map((reader) => reader.stop()))
    trial.count(
      'deliveries',
      readers.reduce((sum, reader) => sum + reader.count(), 0),
    )
  }
  trial.defer(() => over.abort())
  trial.defer(() => Promise.all(readers.map((reader) => reader.stop())))
  return { ...rig, witness, runs, failed: failure.promise, stop }
}

let prompts = 0

/** Sends one prompt, and waits until its run is over. Some runs are aborted, some need an approval. */
const runOnce = async (
  { commands }: Pick<NodesRig, 'commands'>,
  { random }: Trial,
  id: string,
  isDemo: boolean,
): Promise<string> => {
  prompts += 1
  const text = isDemo ? 'tool' : JSON.stringify({ messages: 5 + random.below(60), prompt: prompts })
  const outcome = await commands.send('prompt', (client, key) =>
    client.sessions.prompt(id, text, requestOptions(key)),
  )
  if (!isDemo) commands.notePrompt(id, text, outcome)
  if (!isDemo && random.oneIn(6))
    await commands.send('abort', (client) => client.sessions.abort(id, { timeoutMs: 25_000 }))
  let isRunning = true
  while (isRunning) {
    await commands.send('read', async (client) => {
      const { state } = await client.sessions.get(id, { timeoutMs: 25_000 })
      isRunning = state === 'running'
      if (!isDemo || !isRunning) return
      const pending = await client.approvals.list({ sessionId: id })
      for (const { approvalId } of pending)
        await client.approvals.answer(approvalId, { action: random.oneIn(2) ? 'allow' : 'deny' })
    })
    if (isRunning) await pause(100)
  }
  return outcome
}

/** Waits until a run of every session has ended that began after the fault. */
const untilWorking = async (rig: NodesRig, after: string): Promise<void> => {
  const { sessionIds, runs, failed, nodes } = rig
  const before = new Map(sessionIds.map((id) => [id, runs.get(id) ?? 0]))
  // The run after the next one began later.
  const isBack = (id: string): boolean => (runs.get(id) ?? 0) >= (before.get(id) ?? 0) + 2
  const waiting = () => sessionIds.filter((id) => !isBack(id))
  const works = until(`after ${after}, every session works`, () => waiting().length === 0, {
    ...{ limitMs: recoveryMs, everyMs: 20 },
  })
  await Promise.race([failed, works]).catch(async (cause: unknown) => {
    const states = await Promise.all(waiting().map((id) => stuckSession(nodes, id)))
    const errors = nodes.map((node) => `${node.name}: ${node.errors().slice(-1500)}`).join('\n')
    const answers = rig.commands.recent().join('\n')
    throw new Error(`${cause} (waiting for ${states.join(', ')})\n${answers}\n${errors}`, { cause })
  })
}

/** A session that does not work: its state as each node has it, and what waits. */
const stuckSession = async (nodes: readonly ServerNode[], id: string): Promise<string> => {
  const views = nodes.map(async (node) => {
    try {
      const client = node.current()?.client
      const info = await client?.sessions.get(id)
      const pending = await client?.approvals.list({ sessionId: id })
      return `${node.name}: ${JSON.stringify(info)} ${JSON.stringify(pending)}`
    } catch (cause) {
      return `${node.name}: ${cause}`
    }
  })
  return `${id}\n${(await Promise.all(views)).join('\n')}\n`
}

const compareAll = async (rig: NodesRig, trial: Trial): Promise<void> => {
  const { log, close } = await openRigLog(rig)
  for (const id of rig.sessionIds) {
    await compareSession(log, { id }, rig.witness, trial)
    const prompts = new Map<string, StoredPrompt>()
    for await (const event of log.read(id, 0)) notePrompt(prompts, event)
    rig.commands.compare(id, [...prompts.values()], trial)
    const pending = await log.approvals.list({ sessionId: id, status: 'pending' })
    requireThat(
      pending.length === 0,
      () => `${id} rests, with approvals: ${JSON.stringify(pending)}`,
    )
  }
  await close()
}

/** Notes a message that a person sent, and whether it failed. */
const notePrompt = (prompts: Map<string, StoredPrompt>, event: StampedEvent): void => {
  if (event.type === 'message_delivery' && event.state === 'failed') {
    const prompt = prompts.get(event.messageId)
    if (prompt) prompts.set(event.messageId, { ...prompt, isFailed: true })
  }
  if (event.type !== 'message_end' || event.message.role !== 'user') return
  const { content, delivery } = event.message
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  prompts.set(event.messageId, { text, isFailed: delivery === 'failed' })
}
