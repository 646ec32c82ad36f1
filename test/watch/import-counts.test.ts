import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkOrder } from '../../src/events/order.ts'
import type { StampedEvent, Totals, Usage } from '../../src/events/types.ts'
import type { Log } from '../../src/log/index.ts'
import { agentHome, putRecording, putSample, putStored } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'

const claude = 'claude-session-file/2.1.325'
const ids = {
  chain: '531a7146-4944-4d91-9171-1e9b871fc085',
  fork: 'd94f666d-c896-430e-a78d-23a35a2cfd75',
  agent: '46e45a87-3576-4105-9e14-028ece873f5f',
}

/** What a session has used, by the agent’s id. */
const usageOf = async (log: Log, nativeId: string): Promise<Totals | undefined> => {
  const session = (await sessionsOf(log)).find(({ watched }) => watched?.nativeId === nativeId)
  const events = await eventsOf(log, session?.id ?? '')
  return events.findLast((event) => event.type === 'usage_update')?.totals
}

const usagesOf = async (log: Log): Promise<Totals[]> => {
  const natives = (await sessionsOf(log)).map(({ watched }) => watched?.nativeId ?? '')
  const usages = await Promise.all(natives.map((nativeId) => usageOf(log, nativeId)))
  return usages.filter((usage) => usage !== undefined)
}

const costOf = (usages: readonly Totals[]): number =>
  usages.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)

const tokens = ({ input, output, cacheRead, cacheWrite }: Totals | Usage = {}) => ({
  ...{ input, output, cacheRead, cacheWrite },
})

test('Claude Code: each block of a message repeats its usage, which counts once', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  // Thinking and text: two lines, each with 40 output tokens. A title was made beside them.
  putRecording(home, `${claude}/p-thinking`, 'n1')
  await importHome(home, log)
  const [usage] = await usagesOf(log)
  const [session] = await sessionsOf(log)
  const messages = (await eventsOf(log, session?.id ?? '')).flatMap((event) =>
    event.type === 'message_end' && event.message.usage ? [event.message.usage] : [],
  )
  expect(messages).toHaveLength(1)
  expect(tokens(usage)).toEqual(tokens(messages[0]))
})

test('Claude Code: totals go on over resume and compaction, and count once', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  putRecording(home, `${claude}/resume-chain`, ids.chain)
  await importHome(home, log)
  expect((await usageOf(log, ids.chain))?.costUsd).toBeCloseTo(0.03261565, 10)
})

test.each([
  ['the original', `${claude}/resume-chain`, `${claude}/fork`],
  ['the fork', `${claude}/fork`, `${claude}/resume-chain`],
])('Claude Code: a fork counts once, if %s is read first', async (_, first, second) => {
  const [home, log] = [agentHome(), await memoryLog()]
  const nativeIds: Record<string, string> = {
    [`${claude}/resume-chain`]: ids.chain,
    [`${claude}/fork`]: ids.fork,
  }
  putRecording(home, first, nativeIds[first] ?? '')
  await importHome(home, log)
  putRecording(home, second, nativeIds[second] ?? '')
  await importHome(home, log)
  // The fork began with 0.0215302 of the original, and ended with 0.0276218.
  expect(costOf(await usagesOf(log))).toBeCloseTo(0.03261565 + 0.0276218 - 0.0215302, 10)
  const output = (await usagesOf(log)).reduce((sum, usage) => sum + usage.output, 0)
  expect(output).toBe(167 + 55)
  // The copies are shown all the same.
  const counts = new Map(
    await Promise.all(
      (await sessionsOf(log)).map(async ({ id, watched }) => {
        const events = await eventsOf(log, id)
        return [
          watched?.nativeId,
          events.filter(({ type }) => type === 'message_end').length,
        ] as const
      }),
    ),
  )
  expect(counts.get(ids.fork)).toBeGreaterThan(8)
})

test('Claude Code: a subagent has a file of its own, and joins the session that started it', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  putRecording(home, `${claude}/p-agent`, ids.agent)
  const folder = `.claude/projects/-home-dev-project/${ids.agent}/subagents`
  for (const name of ['agent-a4c9d97333dc5d232.jsonl', 'agent-a4c9d97333dc5d232.meta.json'])
    putSample(home, name, `${folder}/${name}`)
  await importHome(home, log)
  const sessions = await sessionsOf(log)
  expect(sessions).toHaveLength(1)
  const events = await eventsOf(log, sessions[0]?.id ?? '')
  const inside = events.filter(({ parentToolCallId }) => parentToolCallId !== undefined)
  expect(new Set(inside.map(({ parentToolCallId }) => parentToolCallId))).toEqual(
    new Set(['toolu_01YCenHTREAzGNRLDkbrAadD']),
  )
  const types = events.map(({ type }) => type)
  // They come between the call and its result, as they happened.
  const firstInside = events.findIndex(({ parentToolCallId }) => parentToolCallId !== undefined)
  expect(firstInside).toBeGreaterThan(types.indexOf('tool_call'))
  expect(
    events.findLastIndex(({ parentToolCallId }) => parentToolCallId !== undefined),
  ).toBeLessThan(types.lastIndexOf('tool_result'))
  const usages = events.flatMap((event) =>
    event.type === 'message_end' && event.message.usage ? [event.message.usage] : [],
  )
  // The total of the agent includes the subagent: nothing is added to it.
  const [usage] = await usagesOf(log)
  expect(usage?.costUsd).toBeCloseTo(0.037736, 10)
  expect(usages.reduce((sum, { output = 0 }) => sum + output, 0)).toBe(usage?.output)
})

test('Qwen Code: the telemetry and the subagent’s own file have the same calls', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const id = '0c6807ab-042e-4afe-b725-718f8490f5d8'
  putRecording(home, 'qwen-session-file/0.24.4/sub', id)
  const name = 'agent-general-purpose-call_sub_10_0'
  for (const end of ['jsonl', 'meta.json'])
    putSample(
      home,
      `${name}.${end}`,
      `.qwen/projects/-home-dev-project/subagents/${id}/${name}.${end}`,
    )
  expect(await importHome(home, log)).toHaveLength(1)
  expect(await sessionsOf(log)).toHaveLength(1)
  // Five calls were served, of 1200 tokens with 200 from the cache, and 34 of output.
  expect(tokens((await usagesOf(log))[0])).toMatchObject({
    ...{ input: 5000, output: 170, cacheRead: 1000 },
  })
})

test('Gemini CLI: messages are written again with their calls, and subagents apart', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const id = 'c438b912-8400-4302-8b33-714a4d3abdaa'
  putRecording(home, 'gemini-session-file/0.61.0/sub', id)
  putStored(
    home,
    'gemini-session-file/0.61.0/sub-subagent.ndjson',
    `.gemini/tmp/project/chats/${id}/e46f99be-59aa-4612-a23d-9273deed5daf.jsonl`,
  )
  expect(await importHome(home, log)).toHaveLength(1)
  expect(await sessionsOf(log)).toHaveLength(1)
  expect(tokens((await usagesOf(log))[0])).toMatchObject({
    ...{ input: 5000, output: 170, cacheRead: 1000 },
  })
})

test('Codex and Copilot: records of calls and totals are the same usage', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  putRecording(home, 'codex-session-file/0.166.0/sub', 'n1')
  putRecording(home, 'copilot-session-file/1.0.102/sub', 'n2')
  await importHome(home, log)
  const sums = (await usagesOf(log)).map(({ input, output, cacheRead }) => [
    input,
    output,
    cacheRead,
  ])
  expect(sums.toSorted()).toEqual([
    [2000, 68, 400],
    [4000, 136, 800],
  ])
})

test('Pi: a fork copies entries with their usage, which counts once', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  putRecording(home, 'pi-session-file/0.87.1/rpc-fork', 'n1')
  await importHome(home, log)
  const alone = costOf(await usagesOf(log))
  // A second fork of the same conversation has nothing of its own.
  const path = putRecording(home, 'pi-session-file/0.87.1/rpc-fork', 'n2')
  const text = readFileSync(path, 'utf8').replace('01a1e171-08d6', '01a1e171-0000')
  writeFileSync(path, text)
  await importHome(home, log)
  expect(await sessionsOf(log)).toHaveLength(2)
  expect(costOf(await usagesOf(log))).toBeCloseTo(alone, 10)
})

const projects = '.claude/projects/-home-dev-project'
const old = '11111111-2222-4333-8444-555555555555'
const insideOf = (events: readonly StampedEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'message_end' && event.parentToolCallId !== undefined
      ? [`${event.parentToolCallId} ${event.message.role}`]
      : [],
  )

test('Claude Code 2.0: the files of subagents lie among those of sessions', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  putRecording(home, 'claude-session-file/2.0.77/agent', old)
  const parts = { 'agent-a6c4d4d': 'agent-subagent', 'agent-acaa7bc': 'agent-warmup-subagent' }
  for (const [name, stored] of Object.entries(parts))
    putStored(home, `claude-session-file/2.0.77/${stored}.ndjson`, `${projects}/${name}.jsonl`)
  expect(await importHome(home, log)).toMatchObject([{ read: 1, empty: 0 }])
  expect(await sessionsOf(log)).toHaveLength(1)
  const [session] = await sessionsOf(log)
  const events = await eventsOf(log, session?.id ?? '')
  expect(checkOrder(events)).toEqual([])
  const call = 'toolu_0001_1'
  expect(insideOf(events)).toEqual([`${call} user`, `${call} assistant`, `${call} assistant`])
  // Two answers, two of the subagent, and one to a warm-up that is not shown: it was served, too.
  expect(tokens((await usagesOf(log))[0])).toEqual({
    ...{ input: 60, output: 28 + 8 + 11 + 4 + 8, cacheRead: 3600, cacheWrite: 5520 },
  })
  // Nothing of it is read again.
  expect(await importHome(home, log)).toMatchObject([{ read: 0, unchanged: 1 }])
})

test.each(['agent', 'agentbg'])(
  'Claude Code 2.1.112: no file names the call of a subagent (%s)',
  async (name) => {
    const [home, log] = [agentHome(), await memoryLog()]
    const id = { agent: 'a5de40be54172a230', agentbg: 'ac1daa311e17ee47c' }[name]
    putRecording(home, `claude-session-file/2.1.112/${name}`, old)
    putStored(
      home,
      `claude-session-file/2.1.112/${name}-subagent.ndjson`,
      `${projects}/${old}/subagents/agent-${id}.jsonl`,
    )
    await importHome(home, log)
    const [session] = await sessionsOf(log)
    const events = await eventsOf(log, session?.id ?? '')
    expect(checkOrder(events)).toEqual([])
    const call = { agent: 'toolu_0001_1', agentbg: 'toolu_0001_0' }[name]
    expect(insideOf(events)).toEqual([`${call} user`, `${call} assistant`, `${call} assistant`])
  },
)

test('Claude Code 2.0: a fork names the original in its copied prompts', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const fork = '99999999-2222-4333-8444-555555555555'
  putRecording(home, 'claude-session-file/2.0.77/fork', fork)
  putRecording(home, 'claude-session-file/2.0.77/fork-original', old)
  await importHome(home, log)
  expect((await sessionsOf(log)).map(({ watched }) => watched?.nativeId).toSorted()).toEqual([
    ...[old, fork],
  ])
  const usages = await usagesOf(log)
  const output = usages.reduce((sum, usage) => sum + usage.output, 0)
  // Three answers in both, and one more in the fork. The last one of the original ends with its file.
  expect(output).toBe(8 + 11 + 4 + 8)
})

test('Qwen Code: a subagent in the background ends when the session hears of it', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const id = '008b4cf8-6eab-4e05-aa19-b158a8d7dbd2'
  putRecording(home, 'qwen-session-file/0.24.4/agentbg', id)
  putStored(
    home,
    'qwen-session-file/0.24.4/agentbg-subagent.ndjson',
    `.qwen/projects/-home-dev-project/subagents/${id}/agent-general-purpose-call_0001_1.jsonl`,
  )
  writeFileSync(
    join(
      home,
      `.qwen/projects/-home-dev-project/subagents/${id}/agent-general-purpose-call_0001_1.meta.json`,
    ),
    '{"toolUseId":"call_0001_1"}',
  )
  await importHome(home, log)
  const [session] = await sessionsOf(log)
  const events = await eventsOf(log, session?.id ?? '')
  expect(checkOrder(events)).toEqual([])
  expect(insideOf(events)).toEqual([
    ...['call_0001_1 user', 'call_0001_1 assistant', 'call_0001_1 assistant'],
    'call_0001_1 assistant',
  ])
})
