import { execFile } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { fieldsOf, listOf } from '../../src/shared/fields.ts'
import { claudeSetup, installedClaudes } from '../agents/claude.ts'
import { codexSetup } from '../agents/codex.ts'
import { piSetup } from '../agents/pi.ts'
import type { FoundSetup } from '../agents/sandbox.ts'
import { type Model, startModel } from '../model/server.ts'
import { accountOf } from '../support/account.ts'
import { decodeChunks } from '../support/recordings.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'

/** An agent that stores its sessions, and how its conversation is continued. */
interface StoringAgent {
  title: string
  agent: string
  setUp(modelUrl: string): FoundSetup
  /** The arguments for a prompt, behind those of the setup. */
  args(prompt: string, nativeId: string | undefined): string[]
  /** Its stream has no usage, or only that of the whole run. */
  countsRuns?: true
}

const storingPi = (version: '0.73' | '0.87'): StoringAgent => ({
  title: `Pi ${version}`,
  agent: 'pi',
  setUp(url) {
    const setup = piSetup(version, url)
    return { setup: { ...setup, argv: setup.argv.filter((arg) => arg !== '--no-session') } }
  },
  args: (prompt, id) => [...(id === undefined ? [] : ['-c']), prompt],
})

const codexArgs = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

const agents: StoringAgent[] = [
  storingPi('0.73'),
  storingPi('0.87'),
  {
    title: 'Codex',
    agent: 'codex',
    setUp: (url) => codexSetup(url),
    args: (prompt, id) => [
      'exec',
      ...(id === undefined ? [] : ['resume', id]),
      ...codexArgs,
      prompt,
    ],
    countsRuns: true,
  },
  ...installedClaudes().map(
    ({ bin, version }): StoringAgent => ({
      title: `Claude Code ${version}`,
      agent: 'claude',
      setUp: (url) => claudeSetup(url, bin),
      args: (prompt, id) => [...(id === undefined ? [] : ['--resume', id]), prompt],
    }),
  ),
]

const installed = agents.filter(({ title, setUp }) => {
  const found = setUp('http://127.0.0.1')
  found.setup?.remove()
  if ('reason' in found) console.log(`skipped: ${title}: ${found.reason}`)
  return found.setup !== undefined
})

/** Runs an agent once for each prompt, in one conversation. Returns what each run printed. */
const converse = async (
  { agent, setUp, args }: StoringAgent,
  model: Model,
  scenarios: readonly string[],
) => {
  const { setup } = setUp(model.url)
  if (!setup) throw new Error('the program went away')
  onTestFinished(setup.remove)
  const { argv, cwd, env } = setup
  const [program = '', ...first] = argv
  const streams: AgentEvent[][] = []
  for (const scenario of scenarios) {
    const id = streams[0]?.find((event) => event.type === 'session_start')?.nativeId
    const prompt = `scenario:${scenario} please`
    const printed = await new Promise<string>((done) => {
      const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 }
      const child = execFile(program, [...first, ...args(prompt, id)], options, (_, stdout) =>
        done(stdout),
      )
      child.stdin?.end()
    })
    streams.push(decodeChunks(agent, [Buffer.from(printed)]))
  }
  return { env, streams }
}

/** What the file of a conversation and the streams of its runs must have in common. */
const commonTo = (runs: readonly (readonly AgentEvent[])[], { countsRuns }: StoringAgent) => {
  const parts = runs.map(shown)
  const texts = parts.flatMap((part) => part.texts)
  return {
    // A file of Codex has parallel calls in the order in which they end, and not by answer.
    texts: countsRuns ? texts.flatMap(([blocks]) => blocks).toSorted() : texts,
    results: parts.flatMap((part) => part.results).toSorted(),
    ends: parts.flatMap((part) => part.ends),
  }
}

const shown = (events: readonly AgentEvent[]) => {
  const { answers, results, ends } = accountOf(events)
  const withdrawn = new Set(
    events.flatMap((event) => (event.type === 'message_withdrawn' ? [event.messageId] : [])),
  )
  return {
    texts: answers
      .filter(({ id = '' }) => !withdrawn.has(id))
      .map(({ content, stop }) => [listOf(content).map(withoutId), stop] as const),
    results: results.map(({ content, isError }) => JSON.stringify([content, isError])),
    ends,
  }
}

/** The stream of Codex numbers its calls. */
const withoutId = (block: unknown): string => {
  const { id: _, ...rest } = fieldsOf(block)
  return JSON.stringify(rest)
}

const importOne = async (agent: string, env: NodeJS.ProcessEnv): Promise<StampedEvent[]> => {
  const log = await memoryLog()
  await importHome(env.HOME ?? '', log, { agent, env })
  const sessions = await sessionsOf(log)
  expect(sessions).toHaveLength(1)
  return eventsOf(log, sessions[0]?.id ?? '')
}

const conversations = [
  ['text', 'tool', 'parallel', 'tool-fail'],
  ['retry', 'text'],
  ['error', 'tool'],
]

describe.each(installed)('the session file of a real $title', (storing) => {
  test.each(conversations)('is as its stream, and counts what was served: %s', async (...names) => {
    const scenarios = names.filter((name) => name !== undefined)
    const model = await startModel()
    onTestFinished(() => model.close())
    const { env, streams } = await converse(storing, model, scenarios)
    const events = await importOne(storing.agent, env)
    const own = events.filter(({ type }) => type !== 'turn_state' && type !== 'usage_update')
    expect(checkOrder(own)).toEqual([])
    expect(own.filter(({ type }) => type === 'raw' || type === 'error')).toEqual([])
    expect(commonTo([own], storing)).toEqual(commonTo(streams, storing))
    const served = model.served.filter(({ isWhole }) => isWhole)
    const totals = events.findLast((event) => event.type === 'usage_update')?.totals
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = totals ?? {}
    const sum = (pick: (each: (typeof served)[number]) => number) =>
      served.reduce((total, each) => total + pick(each), 0)
    expect(output).toBe(sum((each) => each.output))
    // The API of Codex counts what is written to the cache as input.
    const all = sum((each) => each.input + each.cacheRead + each.cacheWrite)
    const fresh = sum((each) => each.cacheRead + each.cacheWrite)
    expect(input + cacheRead + cacheWrite).toBe(storing.countsRuns ? fresh : all)
  })
})
