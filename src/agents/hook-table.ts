import { claudeHooks } from './claude/hooks.ts'
import { codexHooks } from './codex/hooks.ts'
import { copilotHooks } from './copilot/hooks.ts'
import { geminiHooks } from './gemini/hooks.ts'
import type { AgentHooks } from './hooks.ts'
import { piHooks } from './pi/hooks.ts'
import { qwenHooks } from './qwen/hooks.ts'

/** The agents whose terminal sessions reach Sluice through hooks, by name. */
export const agentHooks: Readonly<Record<string, AgentHooks>> = {
  claude: claudeHooks,
  codex: codexHooks,
  qwen: qwenHooks,
  gemini: geminiHooks,
  copilot: copilotHooks,
  pi: piHooks,
}

/** Why Sluice installs no hooks for an agent that has some, for people. */
export const withoutHooks: Readonly<Record<string, string>> = {
  opencode:
    'There is nothing to install: OpenCode has no hooks that could ask. Its questions appear here when Sluice runs the session: start it with `sluice chat opencode`, or continue one here with `sluice continue`.',
}
