import { hasShellEnded } from '../events/has-shell-ended.ts'
import type { ShellRun } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import { appendOutput, endTool, shellCallPrefix, startTool } from './tools.ts'
import type { Incoming, Transcript } from './transcript.ts'

/** Shows a shell command that a person runs through the agent, as a tool of the main conversation. */
export const applyShell = (
  transcript: Transcript,
  { timestamp }: Incoming<'session_update'>,
  shell: ShellRun,
): Transcript => {
  const { command, outputDelta, exitCode, cancelled, blob } = shell
  const call = { toolCallId: shellCallPrefix + shell.id, toolName: 'bash' }
  const event = { ...call, ...defined({ timestamp }) }
  const started =
    command === undefined
      ? transcript
      : startTool(transcript, {
          ...event,
          type: 'tool_execution_start',
          args: { command },
        })
  const grown =
    outputDelta === undefined
      ? started
      : appendOutput(started, {
          ...event,
          type: 'tool_execution_update',
          outputDelta,
          ...defined({ blob }),
        })
  if (!hasShellEnded(shell)) return grown
  return endTool(grown, {
    ...event,
    type: 'tool_execution_end',
    ...defined({ exitCode }),
    ...(cancelled && { interrupted: true }),
  })
}
