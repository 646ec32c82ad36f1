import type { Workspace } from '../agents/workspace.ts'
import type { RunningProcess } from '../process/spawn.ts'
import { createProjectFiles } from './project-files.ts'
import { createTerminals, type TerminalOptions } from './terminals.ts'

export interface WorkspaceOptions extends TerminalOptions {
  /** Further directories that a person added. */
  directories: readonly string[]
  whenWritten(): Promise<unknown>
}

type AgentProcess = Pick<RunningProcess, 'done' | 'freezer'>

/** A workspace that belongs to one process of an agent. */
export interface OpenWorkspace extends Workspace {
  /** Ends and stops the commands of the agent with its process. */
  join(agent: AgentProcess): AgentProcess
}

/** Opens a project for an agent. Nothing is read or started before the agent requests it. */
export const openWorkspace = (options: WorkspaceOptions): OpenWorkspace => {
  const { cwd, directories, sandbox, whenWritten } = options
  const files = createProjectFiles({
    roots: [cwd, ...directories],
    isHidden: (path) => sandbox?.hides?.(path) ?? false,
  })
  const terminals = createTerminals(options)
  return {
    async readText(path, { line = 1, limit }) {
      const read = await files.read(path)
      if ('refusal' in read || (line <= 1 && limit === undefined)) return read
      return { text: linesOf(read.text, Math.max(1, line), limit) }
    },
    findTarget: files.findTarget,
    findDirectory: (path = cwd) => files.findDirectory(path),
    startCommand: terminals.start,
    whenWritten,
    join: ({ done, freezer }) => ({
      done: done.then(async (exit) => {
        await terminals.close()
        return exit
      }),
      freezer: {
        isFrozen: freezer.isFrozen,
        freeze() {
          freezer.freeze()
          terminals.freezer.freeze()
        },
        unfreeze() {
          terminals.freezer.unfreeze()
          freezer.unfreeze()
        },
      },
    }),
  }
}

/** Some lines of a text, with their line ends. */
const linesOf = (text: string, line: number, limit = Number.POSITIVE_INFINITY): string => {
  let start = 0
  for (let skipped = 1; skipped < line; skipped += 1) {
    const end = text.indexOf('\n', start)
    if (end < 0) return ''
    start = end + 1
  }
  let end = start
  for (let taken = 0; taken < limit; taken += 1) {
    const next = text.indexOf('\n', end)
    if (next < 0) return text.slice(start)
    end = next + 1
  }
  return text.slice(start, end)
}
