import { defined, stringOf } from '../../shared/fields.ts'
import { plainMessage } from '../hook-form.ts'
import type { AgentHooks } from '../hooks.ts'

/**
 * The hooks of GitHub Copilot, in a file of our own. By the names of Claude Code’s hooks, they get the same
 * fields, except for permission requests. Those come before Copilot’s own rules are asked: also for
 * calls that it would run without a question.
 */
export const copilotHooks: AgentHooks = {
  ability: 'report',
  asking: [
    'Copilot asks its hooks about every call that does more than read a file. That includes calls that it would allow by itself: by a rule, by --allow-all-tools, or because a command changes nothing.',
    'Each such call waits for an answer here for up to 30 seconds, and the terminal shows nothing meanwhile. Rules that you make here answer at once.',
    'An answer can allow or deny. It cannot change the call, or allow later ones.',
  ],
  waits: { terminal: 30, print: 30 },
  limits: ['GitHub Copilot asks in the terminal only. Sluice shows that it waits.'],
  settings: {
    user: {
      variable: 'COPILOT_HOME',
      below: 'hooks/sluice.json',
      home: '.copilot/hooks/sluice.json',
    },
    isFlat: true,
    empty: '{\n  "version": 1\n}\n',
    types: ['command', 'prompt'],
    entries(command, asks) {
      const entry = (timeoutSec: number) => [
        { type: 'command', bash: command, timeoutSec, sluice: true },
      ]
      const report = entry(5)
      return {
        SessionStart: report,
        UserPromptSubmit: report,
        Notification: report,
        PostToolUse: report,
        Stop: report,
        SessionEnd: report,
        ...(asks && { PermissionRequest: entry(60) }),
      }
    },
  },
  read(input) {
    if (input.hookName === 'permissionRequest')
      return plainMessage({
        ...{ hook_event_name: 'PermissionRequest', cwd: input.cwd },
        ...{ session_id: input.sessionId, tool_name: input.toolName, tool_input: input.toolInput },
      })
    // A notification has the names of both forms.
    const id = stringOf(input.session_id) ?? stringOf(input.sessionId)
    return plainMessage({ ...input, ...defined({ session_id: id }) })
  },
  answer: (_, { action, message }) =>
    action === 'allow'
      ? { behavior: 'allow' }
      : { behavior: 'deny', message: message ?? 'Denied.' },
}
