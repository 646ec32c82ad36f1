import { expect, test } from 'vitest'
import { oneShotRefusal, startRefusal } from '../../src/agents/check-start.ts'
import { claude } from '../../src/agents/claude/index.ts'
import { claudeProtocol } from '../../src/agents/claude/live.ts'
import { demo } from '../../src/agents/demo/index.ts'
import { loadAgent } from '../../src/agents/known-agents.ts'
import { createPiDecoder } from '../../src/agents/pi/decode.ts'
import { pi } from '../../src/agents/pi/index.ts'
import { piProtocol } from '../../src/agents/pi/live.ts'
import { startOptions } from '../../src/events/start-options.ts'
import type { StartOptions } from '../../src/events/types.ts'

const server = { command: 'mcp', env: { TOKEN: 'secret' } }
const everything = startOptions.parse({
  mode: 'plan',
  thinkingLevel: 'high',
  allowedTools: ['Bash(git *)', 'Read'],
  deniedTools: ['-x'],
  directories: ['/other'],
  appendSystemPrompt: '--version',
  mcpServers: { files: server },
})

test('Claude Code: each option is one argument, which no other flag can swallow', () => {
  const args = claude.live?.args({ start: everything, version: '2.1.325' }) ?? []
  expect(args.slice(args.indexOf('stdio') + 1)).toEqual([
    '--permission-mode=plan',
    '--effort=high',
    '--allowedTools=Bash(git *)',
    '--allowedTools=Read',
    '--disallowedTools=-x',
    '--add-dir=/other',
    '--append-system-prompt=--version',
  ])
})

test('Claude Code: secrets of MCP servers go through stdin, not through arguments', () => {
  const args = claude.live?.args({ start: everything }) ?? []
  expect(args.join(' ')).not.toContain('secret')
  expect(claudeProtocol.opening?.({ start: everything })).toContainEqual({
    type: 'control_request',
    request_id: 'quiet-mcp',
    request: { subtype: 'mcp_set_servers', servers: { files: server } },
  })
})

test('Claude Code: a one-shot run gets all options as arguments', () => {
  const args = claude.command('Hi', { start: { thinkingLevel: 'off', mcpServers: { a: server } } })
  expect(args).toContain('--settings={"alwaysThinkingEnabled":false}')
  expect(args).toContain(`--mcp-config=${JSON.stringify({ mcpServers: { a: server } })}`)
})

test('Claude Code: a thinking level is a number of tokens, and an effort for models that have it', () => {
  const set = { type: 'setThinking', id: '1', level: 'low' } as const
  expect(claudeProtocol.encode(set, { version: '2.1.325' })).toMatchObject([
    { request_id: 'quiet-0-1', request: { settings: { effortLevel: 'low' } } },
    { request_id: '1', request: { max_thinking_tokens: 4000 } },
    { request_id: 'quiet-effort-1', request: { subtype: 'get_settings' } },
  ])
  expect(claudeProtocol.encode(set, { version: '2.0.77' })).toMatchObject([
    { request_id: '1', request: { max_thinking_tokens: 4000 } },
  ])
  // It would never reply.
  expect(claudeProtocol.encode(set, { version: '1.0.128' })).toBeUndefined()
  expect(claude.startProblem?.({ thinkingLevel: 'low' }, '1.0.128')).toContain('1.0.128')
})

test('Pi: a system prompt that is the path of a file stays text', () => {
  const start = { appendSystemPrompt: '/etc/passwd' }
  const args = pi.live?.args({ start }) ?? []
  expect(args.at(args.indexOf('--append-system-prompt') + 1)).toBe('/etc/passwd\n')
  expect(pi.command('Hi', { start })).toContain('/etc/passwd\n')
})

test('Pi: tools that a version cannot leave out are refused, instead of offered', () => {
  const start = { deniedTools: ['bash'] }
  expect(pi.startProblem?.(start, '0.73.1')).toContain('Pi 0.73.1 cannot leave out single tools')
  expect(pi.startProblem?.(start, '0.87.1')).toBeUndefined()
  expect(pi.live?.args({ start })).toEqual(['--mode', 'rpc', '--exclude-tools', 'bash'])
})

test('Pi: a version that does not list its thinking levels is not asked for them', () => {
  expect(piProtocol.opening?.({})).toHaveLength(2)
  expect(piProtocol.opening?.({ version: '0.73.1' })).toHaveLength(2)
  expect(piProtocol.opening?.({ version: '0.87.1' })).toHaveLength(3)
})

test('Pi: a version that does not list its commands is not in error, nor at the end of a run', () => {
  const decoder = createPiDecoder()
  decoder.push({ type: 'agent_start' })
  const [command, error] = ['get_commands', 'Unknown command: get_commands']
  expect(decoder.push({ type: 'response', command, success: false, error })).toEqual([])
})

test('an option that an agent does not have is refused with its name', () => {
  expect(startRefusal(claude, everything)).toBeUndefined()
  expect(startRefusal(pi, { mode: 'plan' })).toBe('Pi does not support permission modes.')
  expect(startRefusal(pi, { directories: ['/x'] })).toBe('Pi does not support further directories.')
  expect(startRefusal(demo, { thinkingLevel: 'high' })).toContain('does not support thinking')
})

test('a mode or a level that an agent does not have is refused with those that it has', () => {
  expect(startRefusal(claude, { mode: 'yolo' })).toBe(
    'Claude Code has no permission mode “yolo”. It has: default, plan, acceptEdits, auto, dontAsk, bypassPermissions.',
  )
  expect(startRefusal(pi, { thinkingLevel: 'huge' })).toContain('Pi has no thinking level “huge”.')
})

test('a system prompt is replaced or extended, not both', () => {
  const both = { systemPrompt: 'A', appendSystemPrompt: 'B' }
  expect(startRefusal(claude, both)).toContain('not both')
})

const oneShotFlags: [string, StartOptions, string][] = [
  ['codex', { mode: 'auto', thinkingLevel: 'high' }, '--sandbox=workspace-write'],
  ['codex', { mode: 'untrusted' }, '--sandbox=read-only'],
  ['codex', { thinkingLevel: 'high' }, '--config=model_reasoning_effort="high"'],
  ['codex', { directories: ['/further'] }, '--add-dir=/further'],
  ['gemini', { mode: 'autoEdit' }, '--approval-mode=auto_edit'],
  ['gemini', { directories: ['/further'] }, '--include-directories=/further'],
  ['qwen', { mode: 'plan' }, '--approval-mode=plan'],
  ['opencode', { mode: 'plan' }, '--agent=plan'],
  ['opencode', { thinkingLevel: 'high' }, '--variant=high'],
]

test.each(oneShotFlags)('%s: a one-shot run gets %j', async (name, start, flag) => {
  const agent = await loadAgent(name)
  expect(oneShotRefusal(agent, start)).toBeUndefined()
  expect(agent.command('Hi', { start })).toContain(flag)
})

test.each(['codex', 'gemini', 'opencode', 'copilot'])(
  '%s: a one-shot run refuses what it would ignore',
  async (name) => {
    const agent = await loadAgent(name)
    const start = { mcpServers: { a: server } }
    expect(startRefusal(agent, start)).toBeUndefined()
    expect(oneShotRefusal(agent, start)).toContain('does not support MCP servers')
  },
)
