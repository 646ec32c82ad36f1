import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Approval } from '../../src/api/types.ts'
import { eventually } from '../support/eventually.ts'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { root } from '../support/sluice.ts'

const program = join(root, 'src/agents/sluice-hook.js')

interface HookRun {
  input: unknown
  data: string
  agent?: string
  scope?: string
  env?: Record<string, string>
}

/** Starts the hook as an agent does. */
export const startHook = ({ input, data, agent = 'claude', scope = 'user', env = {} }: HookRun) => {
  const child = spawn(process.execPath, [program, agent, scope, data], {
    env: { PATH: process.env.PATH, CLAUDE_PID: `${process.pid}`, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const startedAt = performance.now()
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input))
  const done = new Promise<{ code: number | null; stdout: string; ms: number }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, ms: performance.now() - startedAt }))
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { done, child }
}

export const session = '11111111-2222-4333-8444-555555555555'
export const call = {
  tool_name: 'Bash',
  tool_input: { command: 'touch x', description: 'Make a file' },
}
export const inputOf = (hook_event_name: string, more: object = {}) => ({
  ...{ session_id: session, cwd: root, prompt_id: 'p1', permission_mode: 'default' },
  ...{ transcript_path: `/nowhere/${session}.jsonl`, hook_event_name, ...more },
})
export const request = inputOf('PermissionRequest', call)
export const begun = inputOf('PreToolUse', { ...call, tool_use_id: 'toolu_1' })

/** A server, and hooks of its data directory. */
export const openHookRig = async () => {
  const server = await startLocalServer()
  onTestFinished(async () => {
    await server.close()
    server.remove()
  })
  const data = join(server.root, 'data')
  const hook = (input: unknown, more: Partial<HookRun> = {}) => startHook({ input, data, ...more })
  const pending = (count = 1): Promise<Approval[]> =>
    eventually(async () => {
      const found = await server.client.approvals.list()
      if (found.length !== count) throw new Error(`${found.length} approvals`)
      return found
    })
  const first = async (): Promise<Approval> => {
    const [found] = await pending()
    if (!found) throw new Error('none')
    return found
  }
  return { server, data, hook, pending, first }
}

/** How an approval ended, once it has. */
export const outcomeOf = ({ client }: LocalServer, { sessionId, approvalId }: Approval) =>
  eventually(async () => {
    const { events } = await client.sessions.events(sessionId)
    const found = events.find(
      (each) => each.type === 'approval_resolved' && each.approvalId === approvalId,
    )
    if (found?.type !== 'approval_resolved') throw new Error('still open')
    return { action: found.action, outcome: found.outcome, by: found.by }
  })

export const decisionIn = (stdout: string) => JSON.parse(stdout).hookSpecificOutput.decision
