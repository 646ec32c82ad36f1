import type { AgentDescription } from '../agents/agent.ts'
import type { CommandTerminal, WorkspaceCommand, WorkspaceRefusal } from '../agents/workspace.ts'
import { agentEnvironment } from '../process/agent-environment.ts'
import { findOnPath } from '../process/find-agent.ts'
import type { Freezer } from '../process/freeze-agent.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { type RunningProcess, startProcess } from '../process/spawn.ts'
import { Fault } from '../shared/fault.ts'
import { createLiveOutput, type LiveOutput } from './live-output.ts'
import { createOutputTail } from './output-tail.ts'

/** How the commands of an agent start: as the agent itself did. */
export interface TerminalOptions {
  agent: Pick<AgentDescription, 'config' | 'env' | 'setEnv'>
  /** The directory that the agent works in. */
  cwd: string
  env: NodeJS.ProcessEnv
  /** Variables that no command can set to something else. */
  ownEnv: Readonly<Record<string, string>>
  sandbox?: Sandbox | undefined
  /** Further directories of the session. */
  directories: readonly string[]
  markKey?: number | undefined
}

/** The commands that run for an agent. They end with it. */
export interface Terminals {
  start(command: WorkspaceCommand): Promise<CommandTerminal | WorkspaceRefusal>
  /** Stops all commands where they are, as the agent. */
  readonly freezer: Pick<Freezer, 'freeze' | 'unfreeze'>
  /** Kills all commands. Resolves when they have ended. */
  close(): Promise<void>
}

/** More commands at once are refused. */
const mostCommands = 16

/** How much output is stored where the agent does not say it, and at most. */
const outputBytes = { usual: 256 * 1024, most: 1024 * 1024 } as const

export const createTerminals = (options: TerminalOptions): Terminals => {
  const running = new Set<RunningProcess>()
  let starting = 0
  let isFrozen = false
  let isClosed = false

  const start: Terminals['start'] = async (command) => {
    if (isClosed) return refused('The agent is being stopped.')
    if (running.size + starting >= mostCommands)
      return refused(`${mostCommands} commands are running already (the limit). Release one first.`)
    const limit = Math.min(command.outputLimit ?? outputBytes.usual, outputBytes.most)
    const tail = createOutputTail(limit)
    const live = createLiveOutput()
    starting += 1
    try {
      const child = await startProcess({
        ...callOf(command, options),
        onChunk(chunk) {
          tail.push(chunk)
          live.push(chunk)
        },
      })
      running.add(child)
      void child.done.then(() => running.delete(child))
      if (isClosed) child.kill()
      if (isFrozen) child.freezer.freeze()
      return terminalOf(child, tail.text, live)
    } catch (cause) {
      if (cause instanceof Fault) return refused(cause.message)
      throw cause
    } finally {
      starting -= 1
    }
  }

  return {
    start,
    freezer: {
      freeze() {
        isFrozen = true
        for (const { freezer } of running) freezer.freeze()
      },
      unfreeze() {
        isFrozen = false
        for (const { freezer } of running) freezer.unfreeze()
      },
    },
    async close() {
      isClosed = true
      const all = [...running]
      for (const child of all) child.kill()
      await Promise.all(all.map(({ done }) => done))
    },
  }
}

const refused = (refusal: string): WorkspaceRefusal => ({ refusal, kind: 'failed' })

/** Both outputs are one, in the order in which the command wrote them. */
const joinOutputs = 'exec 2>&1; exec "$@"'

const callOf = ({ command, cwd, env: more }: WorkspaceCommand, options: TerminalOptions) => {
  const { agent, env, ownEnv, sandbox, directories, markKey, cwd: project } = options
  const shell = findOnPath('bash', env) ?? '/bin/sh'
  const own = { ...agent.setEnv, ...ownEnv }
  const variables = Object.entries(agentEnvironment(more))
    .filter(([name]) => !Object.hasOwn(own, name))
    .map(([name, value]) => `${name}=${value}`)
  return {
    ...{ agent, sandbox, directories, markKey, cwd, project },
    env: { ...env, ...ownEnv },
    program: '/bin/sh',
    // The variables are set inside the sandbox: some, such as LD_PRELOAD, would run code in bubblewrap.
    args: ['-c', joinOutputs, 'sh', 'env', ...variables, shell, '-c', command],
  }
}

const terminalOf = (
  child: RunningProcess,
  text: () => { text: string; isTruncated: boolean },
  live: LiveOutput,
): CommandTerminal => {
  let exit: Awaited<RunningProcess['done']> | undefined
  const done = child.done.then((how) => {
    live.end()
    exit = how
    return how
  })
  return {
    output: () => ({ ...text(), ...(exit && { exit }) }),
    done,
    follow: live.follow,
    kill() {
      if (!exit) void child.stop({ signals: ['SIGTERM', 'SIGKILL'] })
    },
  }
}
