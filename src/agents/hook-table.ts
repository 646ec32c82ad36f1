import { claudeHooks } from './claude/hooks.ts'
import { codexHooks } from './codex/hooks.ts'
import { geminiHooks } from './gemini/hooks.ts'
import type { AgentHooks } from './hooks.ts'
import { qwenHooks } from './qwen/hooks.ts'

/** The agents whose terminal sessions reach Sluice through hooks, by name. */
export const agentHooks: Readonly<Record<string, AgentHooks>> = {
  claude: claudeHooks,
  codex: codexHooks,
  qwen: qwenHooks,
  gemini: geminiHooks,
}

/** Why Sluice installs no hooks for an agent that has some, for people. */
export const withoutHooks: Readonly<Record<string, string>> = {
  copilot:
    'The hooks of GitHub Copilot CLI can deny a call, but not allow one in place of a person, and they do not say when it asks. So there is nothing to install.',
  opencode:
    'OpenCode asks over HTTP: start it with `opencode serve`, or as a session of Sluice. There is nothing to install.',
  pi: 'Pi has no permission prompts in the terminal, and no hooks. Sessions of Sluice ask before each tool call. There is nothing to install.',
}
