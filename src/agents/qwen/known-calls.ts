import { readFileCall, replaceTextCall, writeFileCall } from '../tool-calls/file-path-calls.ts'
import { type CallReader, commandTool, knownCallsOf } from '../tool-calls/known-call.ts'

const command = commandTool({
  startsInCwd: true,
  harmless: { description: 'string', timeout: 'number', is_background: false },
})
const edit = replaceTextCall('replace_all')

/** What the calls of Qwen Code’s own tools do. `execute` is a command whose tool was not named. */
export const qwenKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    ['run_shell_command', command],
    ['execute', command],
    ['write_file', writeFileCall],
    ['edit', edit],
    ['read_file', readFileCall('offset', 'limit')],
  ]),
)
