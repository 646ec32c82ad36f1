import type { Command } from 'commander'
import type { StartOptions } from '../../events/types.ts'
import { resolveLinks } from '../../files/real-path.ts'
import { absolutePath, repeated } from './options.ts'

/** What the options about the start of an agent are parsed to. */
export interface StartFlags {
  mode?: string
  thinking?: string
  allowTool?: string[]
  denyTool?: string[]
  addDir?: string[]
  systemPrompt?: string
  appendSystemPrompt?: string
  mcpConfig?: string
}

/** Adds the options of how an agent starts. Which ones an agent has differs. */
export const addStartOptions = (command: Command): Command =>
  command
    .option('--mode <mode>', 'the permission mode, by the name that the agent uses')
    .option('--thinking <level>', 'how much the model thinks, such as low or high')
    .option('--allow-tool <tool>', 'a tool that the agent may use; repeatable', more)
    .option('--deny-tool <tool>', 'a tool that the agent must not use; repeatable', more)
    .option('--add-dir <directory>', 'a further directory to work in; repeatable', moreDirectories)
    .option('--system-prompt <text>', 'replace the system prompt')
    .option('--append-system-prompt <text>', 'add to the system prompt')
    .option('--mcp-config <file>', 'a JSON file with `mcpServers`', absolutePath)

/** Adds the option of a worktree, for what has one session. */
export const addWorktreeOption = (command: Command): Command =>
  command.option('--worktree', 'work in a new git worktree, on a branch of its own')

const more = (value: string, before: string[] = []): string[] => repeated(value, before)

const moreDirectories = (path: string, before: string[] = []): string[] =>
  repeated(absolutePath(path), before)

/** The start options that were given; undefined if none was. Throws a `Fault` for invalid ones. */
export const startOf = async (flags: StartFlags): Promise<StartOptions | undefined> => {
  const given = Object.entries({
    mode: flags.mode,
    thinkingLevel: flags.thinking,
    allowedTools: flags.allowTool,
    deniedTools: flags.denyTool,
    // A sandbox makes no link writable.
    directories: flags.addDir?.map((path) => resolveLinks(path) ?? path),
    systemPrompt: flags.systemPrompt,
    appendSystemPrompt: flags.appendSystemPrompt,
  }).filter(([, value]) => value !== undefined)
  if (given.length === 0 && flags.mcpConfig === undefined) return undefined
  const { readStart } = await import('../read-start.ts')
  return readStart(Object.fromEntries(given), flags.mcpConfig)
}
