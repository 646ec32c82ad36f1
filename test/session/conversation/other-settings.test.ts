import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadAgent } from '../../../src/agents/known-agents.ts'
import type { StampedEvent, StartOptions } from '../../../src/events/types.ts'
import { fieldsOf } from '../../../src/shared/fields.ts'
import { codexModel, codexSetup } from '../../agents/codex.ts'
import { copilotSetup } from '../../agents/copilot.ts'
import { geminiSetup } from '../../agents/gemini.ts'
import { openCodeSetup } from '../../agents/opencode.ts'
import { qwenSetup } from '../../agents/qwen.ts'
import type { FoundSetup } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { openLiveSession } from '../../support/live-session.ts'

interface Row {
  name: string
  setup(modelUrl: string): FoundSetup
  model: string
  start: StartOptions
  /** Modes to change to, one after the other. */
  modes: readonly string[]
  /** Levels to change to. Empty if the agent has none. */
  levels: readonly string[]
  /** What the model receives in the mode of `start`. */
  inRequest: string
}

const server = fileURLToPath(new URL('../../support/mcp-server.js', import.meta.url))
const mcpServers = { greeter: { command: process.execPath, args: [server] } }
const acpMode = 'https://agentclientprotocol.com/protocol/session-modes#'

const rows: Row[] = [
  {
    ...{ name: 'codex', setup: (url) => codexSetup(url), model: codexModel },
    start: { mode: 'untrusted', thinkingLevel: 'high', mcpServers, appendSystemPrompt: 'Sing.' },
    ...{ modes: ['read-only', 'full-access'], levels: ['low', 'xhigh'], inRequest: 'Sing.' },
  },
  {
    ...{ name: 'opencode', setup: (url) => openCodeSetup(url), model: 'fake/fake-model' },
    start: { mode: 'plan', thinkingLevel: 'high', mcpServers },
    ...{ modes: ['build', 'plan'], levels: ['low', 'medium'], inRequest: 'Plan Mode' },
  },
  {
    ...{ name: 'gemini', setup: (url) => geminiSetup(url), model: 'gemini-2.5-pro' },
    start: { mode: 'plan' },
    ...{ modes: ['autoEdit', 'yolo'], levels: [], inRequest: 'Plan Mode' },
  },
  {
    ...{ name: 'qwen', setup: (url) => qwenSetup(url), model: 'qwen3-coder-plus' },
    start: { mode: 'plan' },
    ...{ modes: ['auto-edit', 'yolo'], levels: [], inRequest: 'Plan mode' },
  },
  {
    ...{ name: 'copilot', setup: (url) => copilotSetup(url), model: 'gpt-4.1' },
    start: { mode: `${acpMode}plan` },
    ...{ modes: [`${acpMode}agent`, `${acpMode}autopilot`], levels: [], inRequest: 'plan mode' },
  },
]

const found = rows.filter(({ name, setup }) => {
  const { setup: made, ...absent } = setup('http://127.0.0.1')
  made?.remove()
  if ('reason' in absent) console.log(`skipped: settings of ${name}: ${absent.reason}`)
  return made !== undefined
})

/** The real agents, if they are installed. What the model receives proves that a setting holds. */
describe.each(rows)('$name', { timeout: 60_000 }, (row) => {
  test.skipIf(!found.includes(row))(
    'starts with its options, and changes its mode and its level while it runs',
    async () => {
      const { name, start, modes, levels, inRequest } = row
      const model = await startModel()
      const { setup } = row.setup(model.url)
      if (!setup) return expect.unreachable('the agent went away')
      const agent = await loadAgent(name)
      const session = openLiveSession({ agent, setup, model: row.model, start, policy: 'allow' })
      const bodies = () => model.requests.filter(({ method }) => method === 'POST')
      const effort = () => {
        const body = fieldsOf(JSON.parse(bodies().at(-1)?.body ?? '{}'))
        return body.reasoning_effort ?? fieldsOf(body.reasoning).effort
      }

      await session.run('scenario:text please')
      expect(bodies().at(-1)?.body).toContain(inRequest)
      if (start.mcpServers) expect(bodies().at(-1)?.body).toContain('greet')
      if (start.thinkingLevel !== undefined) expect(effort()).toBe(start.thinkingLevel)

      for (const mode of modes) {
        const from = session.events.length
        expect(await session.setMode(mode)).toEqual({ outcome: 'accepted' })
        const isShown = (event: StampedEvent) =>
          event.type === 'session_update' && event.permissionMode === mode
        await session.until(isShown, from)
      }
      expect(await session.setMode('nonsense')).toMatchObject({ outcome: 'refused' })
      for (const level of levels) {
        expect(await session.setThinking(level)).toEqual({ outcome: 'accepted' })
        await session.run('scenario:text please')
        expect(effort()).toBe(level)
      }
      await session.close()
      setup.remove()
      await model.close()
    },
  )
})

const offers = [
  { name: 'gemini', setup: geminiSetup, model: 'gemini-2.5-pro', prompt: 'scenario:text please' },
  {
    name: 'qwen',
    setup: qwenSetup,
    model: 'qwen3-coder-plus',
    prompt: 'scenario:find-tool please',
  },
].filter(({ name }) => found.some((row) => row.name === name))

test.for(offers)(
  'the model of $name gets the tools of an MCP server',
  { timeout: 60_000 },
  async (offer) => {
    const model = await startModel()
    const { setup } = offer.setup(model.url)
    if (!setup) return expect.unreachable('the agent went away')
    const agent = await loadAgent(offer.name)
    const start = { mcpServers }
    const session = openLiveSession({ agent, setup, model: offer.model, start, policy: 'allow' })
    await session.run(offer.prompt)
    const bodies = model.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
    expect(
      bodies.some(
        (body) => body.includes('mcp__greeter__greet') || body.includes('mcp_greeter_greet'),
      ),
    ).toBe(true)
    await session.close()
    setup.remove()
    await model.close()
  },
)
