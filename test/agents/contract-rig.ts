import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StampedEvent } from '../../src/events/types.ts'
import { type Block, note, type Script, scripts } from '../model/scripts.ts'
import { type Model, startModel } from '../model/server.ts'
import { descendantsOf } from '../support/descendants.ts'
import { type LiveSession, openLiveSession } from '../support/live-session.ts'
import { processesOfSession } from '../support/session-processes.ts'
import type { LiveAgent } from './live-agents.ts'
import type { AgentSetup } from './sandbox.ts'

const command = (text: string): Block => ({
  type: 'tool_use',
  name: 'bash',
  input: { command: text },
})

const script = (text: string): Script => ({
  steps: [
    { kind: 'reply', blocks: [command(text)] },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['It', ' is over.'] }] },
  ],
})

/** Commands that every agent requests an approval for: they write. */
const contractScripts: Record<string, Script> = {
  ...scripts,
  touch: script('touch made.txt'),
  // Ends when the output was seen; no agent that shows it needs longer than this.
  ticks: script(
    'touch t; for i in $(seq 28); do test -e seen.txt && break; echo tick $i; sleep 0.1; done',
  ),
  // Two processes below the shell, one of which ignores what asks it to end.
  tree: script('touch t; (trap "" TERM INT HUP; sleep 300) & sleep 300'),
}

/** One agent over a scripted model, with all that the contract looks at. */
export interface ContractRig {
  readonly model: Model
  readonly session: LiveSession
  readonly setup: AgentSetup
  /** Prompts, answers every request in the same way, and returns the events of the run. */
  run(scenario: string, action?: 'allow' | 'deny'): Promise<StampedEvent[]>
  /** Prompts, and resolves with the first event that matches; allows what is requested. */
  runUntil(
    scenario: string,
    matches: (event: StampedEvent) => boolean,
  ): Promise<{ event: StampedEvent; from: number }>
  /** Whether the call of `touch` or `patch` was carried out since the last time. */
  hasRun(): boolean
  /** The process that Sluice started. */
  pid(): number
  /** Everything that the agent has running. */
  processes(): number[]
  /** Those processes that are still there. */
  left(processes: readonly number[]): number[]
  close(): Promise<void>
}

export const openContractRig = async (
  { agent, model: modelName, mode, setUp }: LiveAgent,
  change: (setup: AgentSetup) => AgentSetup = (setup) => setup,
): Promise<ContractRig> => {
  const model = await startModel(contractScripts)
  const { setup: found } = setUp(model.url)
  if (!found) throw new Error('the program went away')
  const tag = `contract-${process.pid}-${performance.now()}`
  const setup = change({ ...found, env: { ...found.env, AGENT_SESSION_TAG: tag } })
  const deps = { requestApprovals: true }
  const start = mode === undefined ? undefined : { mode }
  const session = openLiveSession({ agent, setup, model: modelName, deps, ...(start && { start }) })
  const isOpenOrEnd = ({ type }: StampedEvent) =>
    type === 'approval_request' || type === 'agent_end'

  const answerAll = async (from: number, action: 'allow' | 'deny') => {
    for (let at = from; ; ) {
      const event = await session.until(isOpenOrEnd, at)
      if (event.type !== 'approval_request') return
      session.answer(event.approvalId, { action })
      at = session.events.indexOf(event) + 1
    }
  }
  const pid = () => session.changes.findLast((change) => change.pid)?.pid ?? 0

  return {
    model,
    session,
    setup,
    pid,
    async run(scenario, action = 'allow') {
      const from = session.events.length
      const running = session.run(`scenario:${scenario} please`)
      await Promise.all([running, answerAll(from, action)])
      return running
    },
    async runUntil(scenario, matches) {
      const from = session.events.length
      void session.prompt(`scenario:${scenario} please`)
      void answerAll(from, 'allow')
      return { event: await session.until(matches, from), from }
    },
    hasRun() {
      const made = ['made.txt', 'new.txt'].map((name) => join(setup.cwd, name))
      const isThere = made.some((file) => existsSync(file))
      for (const file of made) rmSync(file, { force: true })
      writeFileSync(join(setup.cwd, note.name), note.text)
      return isThere
    },
    processes: () => [...new Set([pid(), ...descendantsOf(pid()), ...processesOfSession(tag)])],
    left: (processes) => [...processes.filter(isRunning), ...processesOfSession(tag)],
    async close() {
      await session.close()
      setup.remove()
      await model.close()
    },
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
