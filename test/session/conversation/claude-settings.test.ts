import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { StampedEvent, StartOptions } from '../../../src/events/types.ts'
import { fieldsOf, listOf, stringOf } from '../../../src/shared/fields.ts'
import { claudeSetup, type InstalledClaude, installedClaudes } from '../../agents/claude.ts'
import { type Model, startModel } from '../../model/server.ts'
import { ofType } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const installed = installedClaudes()
if (installed.length === 0)
  console.log('skipped: settings of Claude Code: neither CLAUDE_BINS nor CLAUDE_BIN names one')

let model: Model
const open: { close(): Promise<void> }[] = []

beforeEach(async () => {
  model = await startModel()
})
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
  await model.close()
})

const openClaude = (
  { bin }: InstalledClaude,
  name = 'claude-sonnet-4-5',
  start: StartOptions = {},
) => {
  const { setup } = claudeSetup(model.url, bin)
  if (!setup) throw new Error('Claude Code went away')
  const session = openLiveSession({ agent: claude, setup, model: name, start })
  open.push({ close: async () => setup.remove() }, session)
  return session
}

/** What the model received last, in the conversation itself. */
const lastRequest = () => {
  const isCall = ({ path }: { path: string }) => /\/messages(\?|$)/.test(path)
  return fieldsOf(JSON.parse(model.requests.filter(isCall).at(-1)?.body ?? '{}'))
}
const toolNames = () =>
  listOf(lastRequest().tools).flatMap((tool) => stringOf(fieldsOf(tool).name) ?? [])

/** What the model receives proves that a setting holds. */
describe.skipIf(installed.length === 0)('Claude Code', () => {
  describe.each(installed)('$version', { timeout: 60_000 }, (version) => {
    test('changes its mode while it runs, and has no unknown one', async () => {
      const session = openClaude(version)
      await session.run('scenario:text please')
      const from = session.events.length
      expect(await session.setMode('plan')).toEqual({ outcome: 'accepted' })
      const isPlan = (event: StampedEvent) =>
        event.type === 'session_update' && event.permissionMode === 'plan'
      await session.until(isPlan, from)
      expect(await session.setMode('nonsense')).toMatchObject({ outcome: 'refused' })
      await session.run('scenario:text please')
      expect(JSON.stringify(lastRequest().messages)).toContain('Plan mode is active')
      expect(session.changes).toContainEqual({ start: { mode: 'plan' } })
    })

    test('a thinking level is a budget of tokens', async () => {
      const session = openClaude(version)
      const budgets: unknown[] = []
      for (const level of ['low', 'high', 'off']) {
        expect(await session.setThinking(level)).toEqual({ outcome: 'accepted' })
        await session.run('scenario:text please')
        budgets.push(fieldsOf(lastRequest().thinking).budget_tokens)
      }
      expect(budgets).toEqual([4000, 31_999, undefined])
    })

    test('a thinking level is an effort, and the one that holds is shown', async () => {
      const session = openClaude(version, 'claude-opus-4-6')
      const efforts: unknown[] = []
      for (const level of ['low', 'xhigh', 'low', 'max', 'off']) {
        expect(await session.setThinking(level)).toEqual({ outcome: 'accepted' })
        await session.run('scenario:text please')
        const levels = ofType(session.events, 'session_update').flatMap(
          ({ thinkingLevel }) => thinkingLevel ?? [],
        )
        const { effort } = fieldsOf(lastRequest().output_config)
        // Some versions have no `max`: they use the highest that they have.
        expect(levels.at(-1)).toBe(level === 'off' ? 'off' : effort)
        efforts.push(effort)
      }
      expect(efforts.slice(0, 3)).toEqual(['low', 'high', 'low'])
      expect(['max', 'high']).toContain(efforts[3])
      // The API refuses a high effort without thinking.
      expect(efforts[4]).toBe('low')
      expect(['disabled', undefined]).toContain(fieldsOf(lastRequest().thinking).type)
    })

    test('starts with a mode, tools, a directory, an addition and an MCP server', async () => {
      const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-further-')))
      open.push({ close: async () => rmSync(directory, { recursive: true }) })
      const server = fileURLToPath(new URL('../../support/mcp-server.js', import.meta.url))
      const session = openClaude(version, 'claude-sonnet-4-5', {
        mode: 'acceptEdits',
        allowedTools: ['Bash'],
        deniedTools: ['WebSearch'],
        directories: [directory],
        appendSystemPrompt: 'Sing.',
        mcpServers: { greeter: { command: process.execPath, args: [server] } },
      })
      const events = await session.run('scenario:tool please')
      expect(ofType(events, 'approval_request')).toEqual([])
      expect(ofType(session.events, 'tool_execution_end')[0]).toMatchObject({ isError: false })
      expect(toolNames()).not.toContain('WebSearch')
      expect(JSON.stringify(lastRequest())).toContain(directory)
      expect(JSON.stringify(lastRequest().system)).toContain('Sing.')
      await session.run('scenario:text please')
      // Newer versions only name it, until the model searches for tools.
      expect(JSON.stringify(lastRequest())).toContain('mcp__greeter__greet')
      const modes = ofType(session.events, 'session_update').map((each) => each.permissionMode)
      const started = ofType(session.events, 'session_start').map((each) => each.permissionMode)
      expect([...started, ...modes]).toContain('acceptEdits')
    })

    test('starts with another system prompt', async () => {
      const session = openClaude(version, 'claude-sonnet-4-5', { systemPrompt: 'You are a poet.' })
      await session.run('scenario:text please')
      expect(JSON.stringify(lastRequest().system)).toContain('You are a poet.')
      expect(JSON.stringify(lastRequest().system)).not.toContain('software engineering')
    })
  })
})
