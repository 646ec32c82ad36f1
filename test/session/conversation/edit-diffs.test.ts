import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import { pi } from '../../../src/agents/pi/index.ts'
import type { EventOf } from '../../../src/events/types.ts'
import { createEditDiffs } from '../../../src/session/conversation/edit-diffs.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import type { Block, Script, Step } from '../../model/scripts.ts'
import { type Model, startModel } from '../../model/server.ts'
import { ofType } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const before = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('')
const overwriting = `--- a.txt
+++ a.txt
@@ -1,40 +1,2 @@
${before.replace(/^/gm, '-').slice(0, -2)}
+first
+second
`

describe('the diff of an edit whose agent reports none', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'sluice-edit-diffs-'))
  const path = join(cwd, 'a.txt')
  beforeEach(() => writeFileSync(path, before))
  afterAll(() => rmSync(cwd, { recursive: true, force: true }))

  const request = (toolCallId: string, args: object): EventOf<'approval_request'> => ({
    type: 'approval_request',
    approvalId: toolCallId,
    kind: 'tool',
    toolCallId,
    toolName: 'write',
    args: { path: 'a.txt', ...args },
  })
  const result = (toolCallId: string, more: object = {}): EventOf<'tool_result'> => ({
    type: 'tool_result',
    message: {
      role: 'toolResult',
      toolCallId,
      toolName: 'write',
      content: [],
      isError: false,
      ...more,
    },
  })
  const content = 'first\nsecond\n'

  test('is that of the file just before the agent was allowed to change it', async () => {
    const diffs = createEditDiffs(pi, cwd)
    await diffs.allowing(request('1', { content }), { action: 'allow' })
    writeFileSync(path, content)
    expect(diffs.withDiff(result('1')).message.details).toEqual({ diff: overwriting })
  })

  test('is that of the arguments that a person wrote', async () => {
    const diffs = createEditDiffs(pi, cwd)
    const updatedInput = { path: 'b.txt', content: 'mine\n' }
    await diffs.allowing(request('1', { content }), { action: 'allow', updatedInput })
    const diff = '--- /dev/null\n+++ b.txt\n@@ -0,0 +1,1 @@\n+mine\n'
    expect(diffs.withDiff(result('1')).message.details).toEqual({ diff })
  })

  test('has no lines if the file stays as it is', async () => {
    const diffs = createEditDiffs(pi, cwd)
    await diffs.allowing(request('1', { content: before }), { action: 'allow' })
    const diff = '--- a.txt\n+++ a.txt\n'
    expect(diffs.withDiff(result('1')).message.details).toEqual({ diff })
  })

  test.each<[string, object]>([
    ['the edit failed', { isError: true }],
    ['the agent reports a diff', { details: { diff: '@@ -1 +1 @@\n-a\n+b' } }],
    ['the agent reports hunks', { details: { structuredPatch: [{ oldStart: 1, lines: ['+a'] }] } }],
    ['the details are a text', { details: 'Error' }],
  ])('is not added if %s', async (_, message) => {
    const diffs = createEditDiffs(pi, cwd)
    await diffs.allowing(request('1', { content }), { action: 'allow' })
    expect(diffs.withDiff(result('1', message))).toEqual(result('1', message))
  })

  test('is not guessed: a denied call, another tool, a second edit at the same time', async () => {
    const diffs = createEditDiffs(pi, cwd)
    expect(diffs.allowing(request('1', { content }), { action: 'deny' })).toBeUndefined()
    const read = { ...request('2', {}), toolName: 'read' }
    expect(diffs.allowing(read, { action: 'allow' })).toBeUndefined()
    await diffs.allowing(request('3', { content }), { action: 'allow' })
    expect(diffs.allowing(request('4', { content }), { action: 'allow' })).toBeUndefined()
    expect(diffs.withDiff(result('4'))).toEqual(result('4'))
    diffs.clear()
    expect(diffs.withDiff(result('3'))).toEqual(result('3'))
  })
})

/** Real agents that overwrite a file of 40 lines. Rules decide, so no person is needed. */
describe('a real agent that overwrites a file', () => {
  const script = (...calls: Block[]): Script => ({
    steps: [
      ...calls.map((call): Step => ({ kind: 'reply', blocks: [call] })),
      { kind: 'reply', blocks: [{ type: 'text', deltas: ['Done.'] }] },
    ],
  })

  const overwrite = async (agent: Agent, model: string, setup: AgentSetup, more: Script) => {
    writeFileSync(join(setup.cwd, 'a.txt'), before)
    Object.assign(scripts, { overwrite: more })
    const deps = { requestApprovals: true }
    const session = openLiveSession({ agent, setup, model, deps, policy: 'allow' })
    try {
      const events = await session.run('scenario:overwrite please')
      expect(readFileSync(join(setup.cwd, 'a.txt'), 'utf8')).toBe('first\nsecond\n')
      return ofType(events, 'tool_result').at(-1)?.message.details
    } finally {
      await session.close()
    }
  }
  const scripts: Record<string, Script> = {}
  const withModel = async (run: (model: Model) => Promise<void>) => {
    const model = await startModel(scripts)
    await run(model).finally(model.close)
  }

  test.each(['0.73', '0.87'] as const)('Pi %s: the result has the diff', (version) =>
    withModel(async (model) => {
      const setup = piSetup(version, model.url)
      const input = { path: 'a.txt', content: 'first\nsecond\n' }
      const writes = script({ type: 'tool_use', name: 'write', input })
      const details = await overwrite(pi, 'fake/fake-sonnet', setup, writes)
      expect(details).toEqual({ diff: overwriting })
      setup.remove()
    }),
  )

  const claudes = installedClaudes()
  if (claudes.length === 0) console.log('skipped: Claude Code is not installed (CLAUDE_BINS)')
  test.each(claudes)('Claude Code $version: the result has the diff', ({ bin }) =>
    withModel(async (model) => {
      const { setup } = claudeSetup(model.url, bin)
      if (!setup) throw new Error('no setup')
      const path = join(setup.cwd, 'a.txt')
      const input = { file_path: path, content: 'first\nsecond\n' }
      const reads = { type: 'tool_use', name: 'read', input: { file_path: path } } as const
      const writes = script(reads, { type: 'tool_use', name: 'write', input })
      const details = await overwrite(claude, 'claude-sonnet-4-5', setup, writes)
      const lines = JSON.stringify(details)
      for (const line of ['-line 40', '+first']) expect(lines).toContain(line)
      setup.remove()
    }),
  )
})
