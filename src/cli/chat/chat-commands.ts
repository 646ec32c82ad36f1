import {
  type AgentCommands,
  type AgentCommandsOptions,
  createAgentCommands,
} from './agent-commands.ts'
import { type ChatFiles, fileWords } from './chat-files.ts'
import { createRuleCommands, type RuleCommandsOptions, ruleWords } from './rule-commands.ts'

/** Everything that can be typed in a chat besides messages. */
export const createChatCommands = (
  options: AgentCommandsOptions & RuleCommandsOptions & { files: Pick<ChatFiles, 'run'> },
): AgentCommands => {
  const runRuleCommand = createRuleCommands(options)
  const agent = createAgentCommands(options)
  return {
    ...agent,
    run: async (line) =>
      (await options.files.run(line)) || (await runRuleCommand(line)) || agent.run(line),
    words: () => [...fileWords, ...ruleWords, ...agent.words()],
  }
}
