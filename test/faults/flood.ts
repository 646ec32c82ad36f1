import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteLog } from '../../src/log/index.ts'
import { root } from '../support/sluice.ts'
import { readConnection } from './connection.ts'
import { type Fault, requireThat, type Trial } from './fault.ts'
import { createFaultServer, type FaultServer, until } from './server.ts'
import { createFrameChecker, createWitness, fingerprint, type Witness } from './witness.ts'

export interface FloodOptions {
  /** How many lines each agent prints. */
  lines: number
  agents: number
  /** How much longer each flush to the disk takes. */
  flushMs: number
  /** How much memory the server may have needed. */
  mostBytes: number
}

/** Reads a session from its start until its run has ended, and resumes where the server cuts. */
const follow = async (server: FaultServer, id: string, witness: Witness): Promise<void> => {
  const checker = createFrameChecker(witness, 'one')
  let hasEnded = false
  for (let tries = 0; !hasEnded && tries < 1000; tries += 1) {
    const over = new AbortController()
    const lastEventId = checker.cursor()
    checker.begin(lastEventId !== undefined)
    const status = await readConnection({
      ...server.address(),
      path: `/api/v1/sessions/${id}/stream`,
      lastEventId,
      signal: over.signal,
      onFrame(frame) {
        checker.read(frame)
        if (!frame.text.includes('"type":"agent_end"')) return
        hasEnded = true
        over.abort()
      },
    })
    requireThat(status === 200, `a stream answered ${status}`)
  }
  requireThat(hasEnded, `the reader of ${id} never saw the end of the run`)
}

/** Checks that the log has every line of the agent once, in order, and what the reader saw. */
const checkLog = async (
  data: string,
  ids: readonly string[],
  lines: number,
  witness: Witness,
  trial: Trial,
): Promise<void> => {
  const log = await openSqliteLog(data)
  trial.defer(() => log.close())
  for (const id of ids) {
    const seen = witness.eventsOf(id)
    let next = 0
    for await (const { first, texts } of log.readText(id, 0))
      for (const [index, text] of texts.entries()) {
        const seq = first + index
        const event = JSON.parse(text)
        requireThat(event.type !== 'error', () => `the log has an error: ${text}`)
        if (event.type === 'raw') {
          requireThat(event.line.line === next, () => `line ${next} of ${id} is missing: ${text}`)
          next += 1
        }
        const print = seen.get(seq)
        requireThat(
          print === undefined || print === fingerprint(text),
          `event ${seq} of ${id} is not what a reader saw`,
        )
        if (print !== undefined) trial.count('events')
      }
    requireThat(next === lines, `the log of ${id} has ${next} of ${lines} lines`)
    trial.count('lines', next)
  }
  await log.close()
}

/** The most memory that a process has had; 0 where the system does not tell it. */
const peakBytes = (pid: number): number => {
  const file = `/proc/${pid}/status`
  const status = existsSync(file) ? readFileSync(file, 'latin1') : ''
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

const tryFlood = async (trial: Trial, options: FloodOptions): Promise<void> => {
  const { lines, agents, flushMs, mostBytes } = options
  const preload = join(root, 'test/faults/agents/slow-flush.js')
  const server = createFaultServer(trial, 'flood-agent.js', {
    env: { FLUSH_MS: `${flushMs}`, NODE_OPTIONS: `--import ${preload}` },
  })
  await server.start()
  const { client, child } = server.current()
  const { data, projects } = server.directories
  const path = join(projects, 'flood')
  mkdirSync(path)
  const project = await client.projects.create({ name: 'flood', path })
  const witness = createWitness()
  const ids = await Promise.all(
    Array.from({ length: agents }, async () => {
      const { id } = await client.sessions.create({ projectId: project.id, agent: 'claude' })
      const reading = follow(server, id, witness)
      await client.sessions.prompt(id, `${lines}`)
      await reading
      return id
    }),
  )
  const isIdle = async () =>
    (await client.sessions.list({ state: 'running', limit: 200 })).sessions.length === 0
  await until('the runs end', isIdle)
  const peak = peakBytes(child.pid ?? 0)
  requireThat(peak <= mostBytes, `the server needed ${(peak / 1e6).toFixed(0)} MB`)
  trial.count('MB at most', Math.round(peak / 1e6))
  const code = await server.stop('SIGTERM')
  requireThat(code === 0, `the server exited with ${code}`)
  await checkLog(data, ids, lines, witness, trial)
}

/** Agents that print faster than a slow disk writes. */
export const createFlood = (options: FloodOptions): Fault => ({
  name: 'flood',
  title: `agents that print ${options.lines.toLocaleString('en')} lines at once, on a disk with a flush of ${options.flushMs} ms`,
  async run(trial) {
    while (trial.goesOn()) await tryFlood(trial, options)
  },
})

export const flood = createFlood({ lines: 1_000_000, agents: 1, flushMs: 200, mostBytes: 1.5e9 })
