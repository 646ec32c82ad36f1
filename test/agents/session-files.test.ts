import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { fieldsOf, listOf } from '../../src/shared/fields.ts'
import { type Account, accountOf } from '../support/account.ts'
import { decodeChunks, decodeLines, recording, recordings } from '../support/recordings.ts'

/** Parallel results come in another order, by call or by time. */
const sorted = ({ results, ...rest }: Account): Account => ({
  ...rest,
  results: results.toSorted((left, right) =>
    JSON.stringify(left) < JSON.stringify(right) ? -1 : 1,
  ),
})

const withoutIds = ({ answers, ...rest }: Account): Account => ({
  ...rest,
  answers: answers.map(({ id: _, ...answer }) => answer),
})

const withoutUsage = ({ answers, ...rest }: Account): Account => ({
  ...rest,
  answers: answers.map(({ usage: _, ...answer }) => answer),
})

const withoutThoughts = ({ answers, ...rest }: Account): Account => ({
  ...rest,
  answers: answers.map(({ content, ...answer }) => ({
    ...answer,
    content: listOf(content).filter((block) => fieldsOf(block).type !== 'thinking'),
  })),
})

/** Calls by their order instead of their ids. */
const numbered = (account: Account): Account => {
  let text = JSON.stringify(account)
  for (const [index, { id }] of account.calls.entries())
    text = text.replaceAll(JSON.stringify(id), `"call ${index}"`)
  return JSON.parse(text)
}

/** `opencode run` prints parallel calls in the order in which they end. */
const unordered = ({ calls, answers, ...rest }: Account): Account => {
  const byText = <Item>(items: readonly Item[]): Item[] =>
    items.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  return {
    ...rest,
    calls: byText(calls),
    answers: answers.map(({ content, ...answer }) => ({
      ...answer,
      content: byText(listOf(content)),
    })),
  }
}

/** What a file and the stream of its run cannot have in common, by the kind of file. */
const comparable: Readonly<Record<string, (account: Account) => Account>> = {
  // The stream numbers its items, and has the usage of the whole run only.
  'codex-session-file': (account) => numbered(withoutUsage(withoutIds(account))),
  // The stream has no usage.
  'copilot-session-file': (account) => ({ ...withoutUsage(account), tokens: {} }),
  'opencode-session-file': unordered,
  // The ids of messages are other ones.
  'qwen-session-file': withoutIds,
  // The stream has no ids of messages, no thoughts, and the usage of the whole run only.
  'gemini-session-file': (account) => withoutThoughts(withoutUsage(withoutIds(account))),
}

const accountOfRecording = (name: string): Account => {
  const { agent, bytes } = recording(name)
  const account = accountOf(decodeChunks(agent, [bytes()]))
  return sorted(comparable[name.split('/')[0] ?? '']?.(account) ?? account)
}

/** Runs whose stream was captured, but whose file has more or less of them, with the reason. */
const different: Readonly<Record<string, string>> = {
  'claude-session-file/1.0.128/agents2': 'the stream has only the calls of subagents',
  'claude-session-file/2.0.77/agent': 'the subagent has a file of its own',
  'claude-session-file/2.1.112/agent': 'the subagent has a file of its own',
  'claude-session-file/2.1.112/agentbg': 'the subagent has a file of its own',
  'claude-session-file/2.1.112/live-compact': 'the file does not have the usage of the compaction',
  'claude-session-file/2.1.325/fork': 'the file begins with a copy of the original',
  'claude-session-file/2.1.325/resume-chain': 'the stream is of the last process only',
  'claude-session-file/2.1.325/hk-pr-allow': 'a stream of whole messages has no final usage',
  'claude-session-file/2.1.325/hk-pre-modify': 'a stream of whole messages has no final usage',
  'claude-session-file/2.1.325/p-agent': 'the subagent has a file of its own',
  'claude-session-file/2.1.325/p-kill9': 'the file has what the stream lost',
  'codex-session-file/0.80.0/thinking': 'the stream does not count reasoning',
  'gemini-session-file/0.61.0/sub': 'the subagent has a file of its own',
  'opencode-session-file/1.18.33/fork': 'the rows begin with a copy of the original',
  'opencode-session-file/1.18.33/resume': 'the stream is of the last process only',
  'opencode-session-file/1.18.33/sub': 'the stream leaves out the subagent',
  'pi-session-file/0.87.1/rpc-fork': 'the file begins with a copy of the original',
  'pi-session-file/0.87.1/rpc-model-abort': 'the stream is of several sessions',
}

const pairs = recordings
  .map(({ name }) => name)
  .filter((name) => name.includes('-session-file/') && name.endsWith('-stream'))
  .map((name) => name.replace(/-stream$/, ''))

describe('a session file has the same account as the stream of its run', () => {
  for (const name of pairs.filter((each) => !(each in different)))
    test(name, () => expect(accountOfRecording(name)).toEqual(accountOfRecording(`${name}-stream`)))

  const mainThread = ({ answers, ends }: Account) => ({
    answers: answers.filter(({ thread }) => thread === undefined),
    ends,
  })
  const withSubagents = pairs.filter((name) => different[name]?.includes('subagent'))
  test.each(withSubagents)('%s, apart from its subagents', (name) => {
    const [file, stream] = [accountOfRecording(name), accountOfRecording(`${name}-stream`)]
    expect(mainThread(withoutUsage(file))).toEqual(mainThread(withoutUsage(stream)))
  })

  test('every exception is a recording', () => {
    expect(Object.keys(different).filter((name) => !pairs.includes(name))).toEqual([])
  })
})

describe('a session file of Claude Code', () => {
  const common = { sessionId: 's', cwd: '/p', version: '2.1.325' }
  const prompt = (uuid: string, content: unknown) => ({
    ...{ type: 'user', uuid, parentUuid: null, message: { role: 'user', content } },
    ...common,
  })
  const answer = (id: string, content: unknown[], stop: string | null) => ({
    type: 'assistant',
    uuid: `${id}-line`,
    ...common,
    message: { id, model: 'm', content, stop_reason: stop, usage: { output_tokens: 7 } },
  })
  const ends = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'agent_end' ? [event.stopReason] : []))

  test('counts the usage of a message once, though each of its blocks repeats it', () => {
    const blocks = ['one', 'two', 'three'].map((text) => ({ type: 'text', text }))
    const lines = blocks.map((block) => answer('m1', [block], 'end_turn'))
    const { answers } = accountOf(decodeLines('claude', [prompt('u', 'Hi'), ...lines]))
    expect(answers).toEqual([expect.objectContaining({ id: 'm1', usage: { output: 7 } })])
  })

  test('ends the run of a killed process when the next prompt comes', () => {
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'sleep 9' } }
    const events = decodeLines('claude', [
      prompt('u1', 'Wait'),
      answer('m1', [call], 'tool_use'),
      prompt('u2', 'Again'),
      answer('m2', [{ type: 'text', text: 'Done.' }], 'end_turn'),
      { type: 'last-prompt', sessionId: 's' },
    ])
    expect(ends(events)).toEqual(['interrupted', 'stop'])
  })

  test('skips requests, snapshots and texts that nobody wrote', () => {
    const events = decodeLines('claude', [
      { type: 'attachment', attachment: { type: 'prompt_snapshot' }, uuid: 'a', ...common },
      { type: 'api-request-shape', sessionId: 's' },
      { ...prompt('u', '<system-reminder>x</system-reminder>'), isMeta: true },
    ])
    expect(events).toEqual([])
  })
})
