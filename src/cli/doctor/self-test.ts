import { loadAgent } from '../../agents/known-agents.ts'
import { createStream } from '../../agents/stream.ts'
import { createOrderChecker } from '../../events/order.ts'
import { createResultCollector } from '../../handler/result-collector.ts'
import { createLedger } from '../../ledger/ledger.ts'
import { insertUsageUpdates } from '../../ledger/usage-update.ts'
import { nodeTextReader } from '../../process/node-text-reader.ts'
import { reasonOf } from '../../shared/reason.ts'
import type { Finding } from './finding.ts'

const assistant = (usage: object) => ({
  role: 'assistant',
  content: [{ type: 'text', text: 'It works.' }],
  model: 'self-test',
  usage,
  stopReason: 'stop',
})
const piUsage = { input: 10, output: 3, cacheRead: 0, cacheWrite: 0, cost: { total: 0.25 } }

/** A short stream of each agent. Every one means the same: one text, 13 tokens, 25 cents. */
const samples: Readonly<Record<string, readonly object[]>> = {
  pi: [
    { type: 'session', version: 3, id: 's', cwd: '/' },
    { type: 'agent_start' },
    { type: 'turn_start' },
    { type: 'message_start', message: { ...assistant(piUsage), content: [] } },
    {
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'It works.' },
    },
    { type: 'message_end', message: assistant(piUsage) },
    { type: 'turn_end', message: assistant(piUsage), toolResults: [] },
    { type: 'agent_end', messages: [assistant(piUsage)] },
  ],
  claude: [
    { type: 'system', subtype: 'init', cwd: '/', session_id: 's', tools: [], model: 'self-test' },
    {
      type: 'assistant',
      session_id: 's',
      message: {
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'self-test', stop_reason: null },
        content: [{ type: 'text', text: 'It works.' }],
        usage: { input_tokens: 10, output_tokens: 3 },
      },
    },
    {
      ...{ type: 'result', subtype: 'success', is_error: false, session_id: 's', num_turns: 1 },
      ...{ result: 'It works.', total_cost_usd: 0.25, duration_ms: 5, stop_reason: 'end_turn' },
      usage: { input_tokens: 10, output_tokens: 3 },
      modelUsage: { 'self-test': { inputTokens: 10, outputTokens: 3, costUSD: 0.25 } },
    },
  ],
}

/** Decodes a short stream of each agent, and compares the result with what it must be. */
export const checkDecoders = async (): Promise<Finding[]> =>
  Promise.all(
    Object.entries(samples).map(async ([name, lines]): Promise<Finding> => {
      const check = `decoder ${name}`
      const failures = await failuresOf(name, lines).catch((cause: unknown) => [reasonOf(cause)])
      if (failures.length === 0)
        return { check, status: 'ok', message: `Decoder of ${name}: the self-test passes.` }
      return {
        check,
        status: 'problem',
        message: `Decoder of ${name}: the self-test fails: ${failures.join('; ')}.`,
        advice: 'Install Sluice again. If that does not help, report it.',
      }
    }),
  )

const failuresOf = async (name: string, lines: readonly object[]): Promise<string[]> => {
  const agent = await loadAgent(name)
  const stream = createStream(agent, { reader: nodeTextReader })
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const events = insertUsageUpdates(createLedger(), [...stream.push(bytes), ...stream.end()])
  const order = createOrderChecker()
  const collector = createResultCollector(() => 0)
  let violations = 0
  for (const event of events) {
    violations += order.push(event).length
    collector.push(event)
  }
  const { finalText, usage, isError } = collector.result()
  const { raw, malformed } = stream.counts()
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0)
  return [
    ...(finalText === 'It works.' ? [] : [`the text is “${finalText}”`]),
    ...(tokens === 13 ? [] : [`${tokens} tokens instead of 13`]),
    ...(usage?.costUsd === 0.25 ? [] : [`a cost of ${usage?.costUsd} instead of 0.25`]),
    ...(isError ? ['the run failed'] : []),
    ...(violations + raw + malformed === 0 ? [] : ['events out of order or lines not read']),
  ]
}
