import type { ProcessExit } from './agent.ts'

/**
 * The project of an agent, for agents that read, write and run commands through their client. It says
 * no to everything outside the project. Who may write or run something is decided before.
 */
export interface Workspace {
  /** Reads a text file. */
  readText(path: string, part: TextPart): Promise<{ text: string } | WorkspaceRefusal>
  /** Finds the file that a write would change. */
  findTarget(path: string): Promise<WriteTarget | WorkspaceRefusal>
  /** Where a command would start: the real path of a directory of the project. */
  findDirectory(path: string | undefined): Promise<{ path: string } | WorkspaceRefusal>
  /** Starts a command where the agent runs: in the same sandbox. */
  startCommand(command: WorkspaceCommand): Promise<CommandTerminal | WorkspaceRefusal>
  /** Resolves when the agent has received what was written to it. */
  whenWritten(): Promise<unknown>
}

/** A part of a file: from line `line` on, counted from 1, and `limit` lines of it. */
export interface TextPart {
  line?: number | undefined
  limit?: number | undefined
}

/** Why the agent does not get what it requested. */
export interface WorkspaceRefusal {
  refusal: string
  kind: 'missing' | 'outside' | 'link_outside' | 'invalid' | 'failed'
}

/** A file that can be written. */
export interface WriteTarget {
  /** Its path after symbolic links. */
  readonly path: string
  /** Its text now; null if there is no file, undefined if it is not a text or too large. */
  readonly before: string | null | undefined
  /** Replaces its content. Returns why that failed. */
  write(content: string): Promise<WorkspaceRefusal | undefined>
}

export interface WorkspaceCommand {
  /** A line for a shell. */
  command: string
  /** A path from `findDirectory`. */
  cwd: string
  env: Readonly<Record<string, string>>
  /** How many bytes of the output are stored: the last ones. */
  outputLimit: number | undefined
}

/** A command that runs or has run, with the end of its output. */
export interface CommandTerminal {
  output(): TerminalOutput
  /** Resolves when the command has ended, with everything that it started. */
  readonly done: Promise<ProcessExit>
  /** Receives the output from the beginning on, in parts. `gap`: output before this part is left out. */
  follow(onText: (text: string, gap: boolean) => void): void
  /** Ends the command. */
  kill(): void
}

export interface TerminalOutput {
  text: string
  /** Whether the beginning is cut off. */
  isTruncated: boolean
  /** How the command ended; absent while it runs. */
  exit?: ProcessExit
}

export const isRefusal = (result: object): result is WorkspaceRefusal =>
  'refusal' in result && 'kind' in result
