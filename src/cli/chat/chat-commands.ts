import {
  type AgentCommands,
  type AgentCommandsOptions,
  createAgentCommands,
} from './agent-commands.ts'
import { type ChatFiles, fileHelp, fileWords } from './chat-files.ts'
import type { CommandGroup } from './command-group.ts'
import { createModelCommands, type ModelCommandsOptions } from './model-commands.ts'
import {
  createRuleCommands,
  type RuleCommandsOptions,
  ruleHelp,
  ruleWords,
} from './rule-commands.ts'
import { createSwitchCommands, type SwitchCommandsOptions } from './switch-commands.ts'
import { createTaskCommands, type TaskCommandsOptions } from './task-commands.ts'

type ChatCommandsOptions = AgentCommandsOptions &
  ModelCommandsOptions &
  SwitchCommandsOptions &
  TaskCommandsOptions &
  RuleCommandsOptions & { files: Pick<ChatFiles, 'run'> }

/** Everything that can be typed in a chat besides messages. */
export const createChatCommands = (options: ChatCommandsOptions): AgentCommands => {
  const { screen, files } = options
  const agent = createAgentCommands(options)
  const groups: readonly CommandGroup[] = [
    agent,
    createModelCommands(options),
    createSwitchCommands(options),
    createTaskCommands(options),
    { run: files.run, words: () => fileWords, help: () => fileHelp },
    { run: createRuleCommands(options), words: () => ruleWords, help: () => ruleHelp },
  ]
  const help = () => groups.flatMap((group) => group.help())

  /** `/help`: what can be typed; false for another line. */
  const runHelp = (line: string): boolean => {
    if (line !== '/help') return false
    const rows = help()
    const width = Math.max(...rows.map(([typed]) => typed.length))
    screen.notice('What can be typed:')
    for (const [typed, what] of rows) screen.line(`  ${typed.padEnd(width)}  ${what}`)
    return true
  }

  const runLine = async (line: string): Promise<boolean> => {
    if (runHelp(line)) return true
    for (const group of groups) if (await group.run(line)) return true
    return false
  }

  /** A line waits for what the lines before it change. */
  let last: Promise<unknown> = Promise.resolve()

  return {
    ...agent,
    help,
    run(line) {
      const result = last.then(() => runLine(line))
      // A shell command may run for long, and messages are sent meanwhile.
      if (!line.startsWith('!')) last = result.catch(() => {})
      return result
    },
    follow(event) {
      for (const group of groups) group.follow?.(event)
    },
    words: () => ['/help', ...groups.flatMap((group) => group.words())],
  }
}
