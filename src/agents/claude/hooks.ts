import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { askingGroup, blocksIn, callIn, hookGroup, reportIn, runIn } from '../hook-form.ts'
import type { AgentHooks } from '../hooks.ts'
import { permissionRequest } from './permission-request.ts'
import { permissionVerdict } from './permission-verdict.ts'

/** Marks our hooks in the person’s settings. Claude Code ignores the key. */
const mark = { sluice: true }

/**
 * The hooks of Claude Code. A permission request races with the prompt of the terminal: whoever answers
 * first decides. All others run in the background, so that no call waits for them.
 */
export const claudeHooks: AgentHooks = {
  ability: 'ask',
  // It prompts for a subagent only when the hook is done.
  waits: { subagent: 30, print: 600 },
  limits: [
    'Claude Code asks through its hooks in the modes default and acceptEdits. In the modes plan, auto, dontAsk and bypassPermissions it asks no person, so nothing appears here.',
    'The mode auto is the default of new installations: switch with Shift+Tab, or start with --permission-mode default.',
    'A call that a rule of Claude Code allows or denies is not asked about.',
    'A question of a subagent waits here for 30 seconds, and then in the terminal.',
    'A run with -p waits up to 10 minutes for an answer, where it would be denied at once without hooks.',
  ],
  settings: {
    user: { variable: 'CLAUDE_CONFIG_DIR', below: 'settings.json', home: '.claude/settings.json' },
    project: '.claude/settings.local.json',
    types: ['command', 'http', 'prompt', 'agent', 'mcp_tool'],
    entries(command) {
      const report = hookGroup(command, { async: true, timeout: 10, ...mark })
      return {
        PermissionRequest: askingGroup(command, mark),
        PreToolUse: report,
        PostToolUse: report,
        PostToolUseFailure: report,
        UserPromptSubmit: report,
        Notification: report,
        Stop: report,
        StopFailure: report,
        SubagentStop: report,
        SessionStart: report,
        // In the background it would end with the agent, before it has reported.
        SessionEnd: hookGroup(command, { timeout: 2, ...mark }),
      }
    },
  },
  read(input) {
    if (!isOfClaude(input)) return undefined
    if (input.hook_event_name !== 'PermissionRequest') return reportIn(input)
    const run = runIn(input)
    const call = callIn(input)
    if (!run || !call) return undefined
    const request = permissionRequest('', { ...input, input: input.tool_input }, {})
    return { ...run, type: 'request', call, request }
  },
  answer(request, reply) {
    const verdict = permissionVerdict(reply, request)
    // Unchanged arguments of a tool are left out: Claude Code would note that a hook has changed them. It
    // accepts a plan only with them.
    const isSame =
      request.kind === 'tool' && 'updatedInput' in verdict && verdict.updatedInput === request.args
    const decision = isSame ? { ...verdict, updatedInput: undefined } : verdict
    return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
  },
  resultOf(line, callId) {
    const isOfCall = blocksIn(line).some(
      ({ type, tool_use_id: id }) => type === 'tool_result' && id === callId,
    )
    if (!isOfCall) return undefined
    const decided = stringOf(fieldsOf(line.permissionDecision).decision)
    return line.toolDenialKind !== undefined || decided === 'deny' ? 'denied' : 'ran'
  },
}

/**
 * Whether Claude Code itself has started the hook. Other agents run the hooks that the settings of a project
 * have for Claude Code, too, as GitHub Copilot does in trusted folders. Their session is none of Claude
 * Code’s: its file, which every hook names, has the id as its name.
 */
const isOfClaude = ({ session_id: id, transcript_path: path }: Fields): boolean =>
  stringOf(path)?.endsWith(`/${stringOf(id)}.jsonl`) === true
