import { type AgentEvent, createStamp } from '../../../src/events/index.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'

/** A session to write into a data directory. */
export interface StoredSession {
  id: string
  /** A multiple of four: each run has four. */
  entries: number
  /** The directory that it works in. Default: the data directory. */
  cwd?: string
}

/** Writes sessions of the demo agent into a data directory, as a server would. */
export const storeSessions = async (data: string, ...sessions: StoredSession[]): Promise<void> => {
  const log = await openSqliteLog(data)
  const now = Date.now()
  for (const { id, entries, cwd = data } of sessions) {
    const times = { createdAt: now, updatedAt: now }
    await log.sessions.create({ id, agent: 'demo', cwd, name: id, state: 'idle', ...times })
    const events = [...runs(entries / 4)].map(createStamp(id, () => now))
    for (let from = 0; from < events.length; from += 2000)
      await log.append(id, events.slice(from, from + 2000))
  }
  await log.close()
}

/** Many runs, each with a question, an answer, a tool call and another answer. */
function* runs(count: number): Generator<AgentEvent> {
  yield { type: 'session_start', agent: 'demo' }
  for (let turn = 1; turn <= count; turn += 1) {
    const call = { toolCallId: `t${turn}`, toolName: 'bash' }
    yield { type: 'agent_start' }
    yield* message(`q${turn}`, 'user', `Question ${turn} of many`)
    yield* message(`a${turn}`, 'assistant', `Working on **${turn}**.\n\n- one\n- two`)
    yield { type: 'tool_call', ...call, input: { command: `echo ${turn}` } }
    yield { type: 'tool_execution_start', ...call, args: { command: `echo ${turn}` } }
    yield { type: 'tool_execution_end', ...call, exitCode: 0, isError: false }
    const content = [{ type: 'text' as const, text: `${turn}\n`.repeat(6) }]
    yield { type: 'tool_result', message: { role: 'toolResult', ...call, content, isError: false } }
    yield* message(
      `b${turn}`,
      'assistant',
      `Answer ${turn} with \`code\`:\n\n\`\`\`ts\nconst n = ${turn}\n\`\`\``,
    )
    yield { type: 'agent_end', stopReason: 'stop' }
  }
}

function* message(
  messageId: string,
  role: 'user' | 'assistant',
  text: string,
): Generator<AgentEvent> {
  yield { type: 'message_start', messageId, messageRole: role }
  if (role === 'assistant')
    yield {
      type: 'message_update',
      messageId,
      assistantMessageEvent: { type: 'done', reason: 'stop' },
    }
  yield { type: 'message_end', messageId, message: { role, content: [{ type: 'text', text }] } }
}
