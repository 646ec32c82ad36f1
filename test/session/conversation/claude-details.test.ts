import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { isAtLeast } from '../../../src/agents/version.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { rememberVersion } from '../../../src/process/installed-version.ts'
import { applyEvents } from '../../../src/transcript/apply.ts'
import { toSnapshot } from '../../../src/transcript/to-snapshot.ts'
import { emptyTranscript } from '../../../src/transcript/transcript.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Block, type Script, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { deltasOf, ofType } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const claudes = installedClaudes()
if (claudes.length === 0) console.log('skipped: Claude Code: CLAUDE_BINS names none')

const reply = (...blocks: Block[]) => ({ kind: 'reply' as const, blocks })
const say = (...deltas: string[]): Block => ({ type: 'text', deltas })

/** A subagent that thinks, speaks and wants to write. Releases name the tool differently. */
const delegating = (tool: string): Record<string, Script> => ({
  delegate: {
    steps: [
      reply({
        type: 'tool_use',
        name: tool,
        input: {
          ...{ description: 'Make a file', subagent_type: 'general-purpose' },
          ...{ prompt: 'scenario:helper please', run_in_background: false },
        },
      }),
      reply(say('Done.')),
    ],
  },
  helper: {
    steps: [
      reply({ type: 'thinking', deltas: ['Which', ' name?'] }, say('I', ' make', ' it.'), {
        type: 'tool_use',
        name: 'bash',
        input: { command: 'touch made.txt' },
      }),
      reply(say('Made', ' it.')),
    ],
  },
})

const broken = { command: '/nonexistent/mcp-server', args: [] }
const hooks = {
  PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo checked' }] }],
}

/** Real releases of Claude Code, where they are installed, with a scripted model. */
describe.skipIf(claudes.length === 0)('Claude Code', () => {
  describe.each(claudes)('$version', ({ bin, version }) => {
    let model: Awaited<ReturnType<typeof startModel>>
    let setup: AgentSetup
    let session: ReturnType<typeof openLiveSession>

    beforeEach(async () => {
      const tool = isAtLeast(version, '2.1.112') ? 'agent' : 'task'
      model = await startModel({ ...scripts, ...delegating(tool) })
      const found = claudeSetup(model.url, bin).setup
      if (!found) throw new Error(`${bin} went away`)
      setup = found
      const config = setup.env.CLAUDE_CONFIG_DIR ?? ''
      mkdirSync(config, { recursive: true })
      writeFileSync(join(config, 'settings.json'), JSON.stringify({ hooks }))
      mkdirSync(join(config, 'commands'))
      writeFileSync(join(config, 'commands', 'hello.md'), 'scenario:text for $ARGUMENTS')
      writeFileSync(join(config, '.claude.json'), JSON.stringify({ mcpServers: { broken } }))
      session = openLiveSession({ agent: claude, setup, model: 'claude-sonnet-4-5', policy: 'ask' })
      // A script that starts it does not say which version that is.
      rememberVersion(join(setup.cwd, 'agent'), version)
    })
    afterEach(async () => {
      await session.close()
      setup.remove()
      await model.close()
    })

    const usage = () => ofType(session.events, 'usage_update').at(-1)
    const lastEnd = () => ofType(session.events, 'agent_end').at(-1)

    test('money, durations and commands', async () => {
      await session.run('scenario:text please')
      const first = usage()?.totals.costUsd ?? 0
      expect(first).toBeGreaterThan(0)
      expect(lastEnd()).toMatchObject({ numTurns: 1 })
      expect(lastEnd()?.durationMs).toBeGreaterThan(0)
      await session.run('/clear')
      // Helper calls of old releases may still end in the meantime.
      expect(usage()?.totals.costUsd).toBeGreaterThan(first - 1e-9)
      await session.run('scenario:text please')
      const total = usage()?.totals.costUsd ?? 0
      expect(total).toBeGreaterThan(first)
      const byModel = Object.values(usage()?.byModel ?? {}).map(({ costUsd }) => costUsd ?? 0)
      expect(byModel.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(total, 8)
      expect(usage()?.totals.durationMs).toBeGreaterThan(0)
      expect(JSON.stringify(session.events)).not.toContain('<command-name>')
    })

    test('commands stand once, as they were typed, before their output', async () => {
      await session.run('scenario:text please')
      for (const command of ['/hello world', '/context', '/compact keep names'])
        await session.run(command)
      const from = session.events.length
      await session.compact('keep all')
      await session.until((event) => event.type === 'agent_end', from)
      const written = ofType(session.events, 'message_end').filter(
        ({ message }) => message.role === 'user',
      )
      expect(written.map(({ message }) => message.content)).toMatchObject([
        [{ text: 'scenario:text please' }],
        [{ text: '/hello world' }],
        [{ text: '/context' }],
        [{ text: '/compact keep names' }],
      ])
      const taken = ofType(session.events, 'message_delivery').map(({ state }) => state)
      expect(taken).toEqual(['taken', 'taken', 'taken', 'taken'])
      const shownOutput = ofType(session.events, 'message_end').map(({ message }) =>
        message.synthetic ? JSON.stringify(message.content) : undefined,
      )
      expect(new Set(shownOutput.filter(Boolean)).size).toBe(shownOutput.filter(Boolean).length)
    })

    test('a call that is cut has no cost of zero', async () => {
      await session.prompt('scenario:slow please')
      await session.until((event) => deltasOf([event]).length > 0)
      await session.abort()
      const { costUsd, provenance } = usage()?.totals ?? {}
      expect(costUsd === null || provenance?.cost === 'estimated').toBe(true)
      expect(costUsd).not.toBe(0)
      // A release that runs helper models has their cost: of the others nothing is known.
      expect(usage()?.byModel['claude-sonnet-4-5']?.costUsd ?? null).not.toBe(0)
    })

    test('a subagent, a hook, a server that does not start, and the permission mode', async () => {
      await session.prompt('scenario:delegate please')
      const request = await session.until((event) => event.type === 'approval_request')
      const call = ofType(session.events, 'subagent_start')[0]
      expect(call).toMatchObject({ description: 'Make a file' })
      expect(request).toMatchObject({ toolName: 'Bash', parentToolCallId: call?.toolCallId })
      if (request.type === 'approval_request')
        session.answer(request.approvalId, { action: 'allow' })
      await session.until((event) => event.type === 'agent_end')
      const { events } = session
      expect(ofType(events, 'approval_resolved')[0]?.parentToolCallId).toBe(call?.toolCallId)
      if (isAtLeast(version, '2.1.211')) expect(spokenInside(events, call?.toolCallId)).toBe(true)
      const hookRuns = ofType(events, 'session_update').flatMap(({ hook }) => hook ?? [])
      if (isAtLeast(version, '2.1.112'))
        expect(hookRuns.map(({ on }) => on)).toContain('PreToolUse')
      const notices = ofType(events, 'session_update').flatMap(({ notice }) => notice?.text ?? [])
      expect(notices.filter((text) => text.includes('“broken” did not start'))).toHaveLength(1)
      expect(session.changes).toContainEqual(expect.objectContaining({ permissionMode: 'default' }))
      const snapshot = toSnapshot(applyEvents(emptyTranscript(), events), { projectId: 'p' })
      expect(snapshot.permissionMode).toBe('default')
      expect(snapshot.tasks?.map(({ description }) => description) ?? []).not.toContain('Running')
    })
  })
})

/** Whether a subagent’s thinking and text are among the events. */
const spokenInside = (events: readonly StampedEvent[], parent: string | undefined): boolean => {
  const kinds = events.flatMap((event) =>
    event.type === 'message_end' && event.parentToolCallId === parent
      ? event.message.content.map(({ type }) => type)
      : [],
  )
  return kinds.includes('thinking') && kinds.includes('text')
}
