import { hookGroup, plainDecision, plainMessage } from '../hook-form.ts'
import type { AgentHooks } from '../hooks.ts'

/** Its versions read the number as seconds or as milliseconds. The hook itself ends much earlier. */
const timeout = { timeout: 60_000 }

/** The hooks of Qwen Code, in the form of Claude Code’s. */
export const qwenHooks: AgentHooks = {
  ability: 'ask',
  waits: { terminal: 30, print: 30 },
  limits: [
    'Qwen Code asks through its hooks only where it would open a dialog. A run for one prompt denies such calls without a question.',
    'A question waits here for 30 seconds, and then in the terminal.',
    'An answer can allow or deny. It cannot change the call, or allow later ones.',
  ],
  settings: {
    user: { variable: 'QWEN_HOME', below: 'settings.json', home: '.qwen/settings.json' },
    types: ['command', 'http', 'function'],
    entries(command) {
      const group = hookGroup(command, { name: 'sluice', ...timeout })
      return {
        PermissionRequest: group,
        PostToolUse: group,
        PostToolUseFailure: group,
        UserPromptSubmit: group,
        Stop: group,
        SessionStart: group,
        SessionEnd: group,
      }
    },
  },
  read: plainMessage,
  answer: (_, reply) => plainDecision(reply),
}
