import {
  type AgentCommands,
  type AgentCommandsOptions,
  createAgentCommands,
} from './agent-commands.ts'
import { type ChatFiles, fileHelp, fileWords } from './chat-files.ts'
import {
  createRuleCommands,
  type RuleCommandsOptions,
  ruleHelp,
  ruleWords,
} from './rule-commands.ts'

/** Everything that can be typed in a chat besides messages. */
export const createChatCommands = (
  options: AgentCommandsOptions & RuleCommandsOptions & { files: Pick<ChatFiles, 'run'> },
): AgentCommands => {
  const runRuleCommand = createRuleCommands(options)
  const agent = createAgentCommands(options)
  const { screen } = options
  const help = () => [...agent.help(), ...fileHelp, ...ruleHelp]

  /** `/help`: what can be typed; false for another line. */
  const runHelp = (line: string): boolean => {
    if (line !== '/help') return false
    const rows = help()
    const width = Math.max(...rows.map(([typed]) => typed.length))
    screen.notice('What can be typed:')
    for (const [typed, what] of rows) screen.line(`  ${typed.padEnd(width)}  ${what}`)
    return true
  }

  return {
    ...agent,
    help,
    run: async (line) =>
      runHelp(line) ||
      (await options.files.run(line)) ||
      (await runRuleCommand(line)) ||
      agent.run(line),
    words: () => ['/help', ...fileWords, ...ruleWords, ...agent.words()],
  }
}
