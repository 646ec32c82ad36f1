import type { HistoryText } from './history-text.ts'

/** What the model has served, and what it cost. */
export interface Served {
  calls: number
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  costUsd: number
}

export const nothingServed = (): Served => ({
  ...{ calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 },
})

const addTo = (sum: Served, call: Served): void => {
  for (const key of ['calls', 'input', 'output', 'cacheRead', 'cacheWrite', 'costUsd'] as const)
    sum[key] += call[key]
}

/** One session as Claude Code stores it: the lines of its own file, and those of its subagents. */
export interface GeneratedSession {
  id: string
  lines: string[]
  /** By the name of the file. */
  subagents: Map<string, string[]>
  /** What the session has cost by its own count: forks go on from the session they copy. */
  total: Served
}

export interface SessionOptions {
  text: HistoryText
  id: string
  cwd: string
  /** Whether the file has only messages: no texts for the model, requests and settings. */
  onlyMessages: boolean
  /** Receives each call that the model serves. */
  served: Served
}

/** Sizes of real files, in bytes: a conversation of one word has 140 KB. */
const sizes = { snapshot: 29_500, shape: 35_000, skills: 14_000, blob: 5500, attachment: 700 }
const agentId = (text: HistoryText) => `a${text.hex(16)}`

/** Writes turns into a session, line by line, with the fields in the order of real files. */
export const createSession = (options: SessionOptions, from?: GeneratedSession) => {
  const { text, id, cwd, onlyMessages, served } = options
  const session: GeneratedSession = {
    ...{ id, lines: [], subagents: new Map(), total: from ? { ...from.total } : nothingServed() },
  }
  let parent: string | null = null
  let lines = session.lines
  let side: { agentId: string } | undefined

  const common = () => ({
    ...{ userType: 'external', entrypoint: 'cli', cwd, sessionId: id },
    ...{ version: '2.1.325', gitBranch: 'main' },
  })
  const begin = () => ({ parentUuid: parent, isSidechain: side !== undefined })
  const put = (line: object): void => void lines.push(JSON.stringify(line))
  const withUuid = (fields: object): object => {
    const line = { ...fields, uuid: text.uuid(), timestamp: text.time(), ...common() }
    parent = line.uuid
    return line
  }
  const noise = (line: object): void => {
    if (!onlyMessages) put(line)
  }
  const attachment = (type: string, size: number): void => {
    if (onlyMessages) return
    const content = { type, content: text.units(size) }
    put(withUuid({ ...begin(), ...side, attachment: content, type: 'attachment' }))
  }
  const request = (type: string, size: number): void =>
    noise({ type, sessionId: id, hash: text.hex(64), message: text.units(size) })

  const prelude = (): void => {
    for (const type of ['environment', 'model', 'deferred_tools_delta', 'agent_listing_delta'])
      attachment(type, sizes.attachment)
    attachment('skill_listing', sizes.skills)
    noise({ type: 'atis-latch', atis: '', sessionId: id })
    for (const type of ['prompt_snapshot', 'prompt_snapshot']) attachment(type, sizes.snapshot)
    request('api-request-shape', sizes.shape)
    for (let blob = 0; blob < 2; blob += 1) request('api-request-blob', sizes.blob)
  }

  const user = (content: unknown, more: object = {}): void =>
    put(
      withUuid({
        ...{ ...begin(), promptId: text.uuid(), ...side, type: 'user' },
        ...{ message: { role: 'user', content }, ...more },
      }),
    )

  /** One call of the model. Each block is a line, with the usage of the whole message. */
  const call = (blocks: readonly object[], stopReason: string): void => {
    noise({ type: 'atis-latch', atis: '', sessionId: id })
    request('api-request', 1100)
    const used = usageOf(text)
    const message = {
      ...{ model: 'claude-opus-5-5', id: `msg_01${text.hex(22)}`, type: 'message' },
      role: 'assistant',
    }
    const requestId = `req_01${text.hex(22)}`
    for (const [apiBlockIndex, block] of blocks.entries())
      put(
        withUuid({
          ...{ ...begin(), ...side },
          message: {
            ...{ ...message, content: [block], stop_reason: stopReason, stop_sequence: null },
            usage: wireUsage(used),
          },
          ...{ apiBlockIndex, requestId, requestRef: text.uuid(), type: 'assistant' },
        }),
      )
    addTo(served, used)
    addTo(session.total, used)
  }

  const tool = (name: string, input: object): string => {
    const toolId = `toolu_01${text.hex(22)}`
    const blocks: object[] = [{ type: 'tool_use', id: toolId, name, input }]
    if (text.chance(0.4)) blocks.unshift({ type: 'text', text: text.units(text.between(40, 400)) })
    if (text.chance(0.3))
      blocks.unshift({
        ...{ type: 'thinking', thinking: text.units(text.between(100, 900)) },
        signature: text.hex(300),
      })
    call(blocks, 'tool_use')
    return toolId
  }
  const result = (toolId: string, output: string, toolUseResult: object): void =>
    user([{ tool_use_id: toolId, type: 'tool_result', content: output }], {
      ...{ toolUseResult, sourceToolAssistantUUID: parent },
    })

  const step = (): void => {
    const kind = text.between(0, 2)
    const output = text.units(text.between(100, 3000))
    if (kind === 0) {
      const file_path = `${cwd}/src/${text.hex(6)}.ts`
      const file = { filePath: file_path, content: output, numLines: 80, startLine: 1 }
      result(tool('Read', { file_path }), output, { type: 'text', file })
    } else if (kind === 1) {
      const command = `npm test -- ${text.hex(8)}`
      const shell = { stdout: output, stderr: '', interrupted: false, isImage: false }
      result(tool('Bash', { command, description: 'Run a test' }), output, shell)
    } else {
      const file_path = `${cwd}/src/${text.hex(6)}.ts`
      const [old_string, new_string] = [text.units(200), text.units(250)]
      const edit = { filePath: file_path, oldString: old_string, newString: new_string }
      result(tool('Edit', { file_path, old_string, new_string }), 'The file was updated.', edit)
    }
  }

  const subagent = (): void => {
    const prompt = text.units(300)
    const input = { description: 'Look around', prompt, subagent_type: 'general-purpose' }
    const toolId = tool('Agent', input)
    const [ownLines, ownParent, name] = [lines, parent, agentId(text)]
    lines = []
    side = { agentId: name }
    parent = null
    user(prompt)
    for (let steps = text.between(1, 3); steps > 0; steps -= 1) step()
    call([{ type: 'text', text: text.units(400) }], 'end_turn')
    session.subagents.set(`agent-${name}.jsonl`, lines)
    const meta = { agentType: 'general-purpose', toolUseId: toolId, spawnDepth: 1, finished: true }
    session.subagents.set(`agent-${name}.meta.json`, [JSON.stringify(meta)])
    lines = ownLines
    side = undefined
    parent = ownParent
    const content = [{ type: 'text', text: text.units(400) }]
    const usage = wireUsage(usageOf(text))
    result(toolId, text.units(400), {
      ...{ status: 'completed', prompt, agentId: name, content, totalTokens: 8302, usage },
    })
  }

  return {
    session,
    /** What the agent writes when it starts. */
    prelude,
    /** Copies the messages of another session, as a fork does. `mark`: as `/branch` does. */
    copy(original: GeneratedSession, mark: boolean): void {
      for (const line of original.lines) {
        const messageUuid = /"uuid":"([^"]*)"/.exec(line)?.[1]
        if (messageUuid === undefined) continue
        const own = line.replaceAll(`"sessionId":"${original.id}"`, `"sessionId":"${id}"`)
        const forkedFrom = JSON.stringify({ sessionId: original.id, messageUuid })
        lines.push(mark ? `${own.slice(0, -1)},"forkedFrom":${forkedFrom}}` : own)
        parent = messageUuid
      }
      // Only `--fork-session` goes on with the totals.
      session.total = mark ? nothingServed() : { ...original.total }
    },
    turn(steps: number, hasSubagent: boolean): void {
      const prompt = text.units(text.between(20, 400))
      user(prompt, { promptSource: 'typed', permissionMode: 'default', origin: { kind: 'human' } })
      noise({ type: 'file-history-snapshot', messageId: text.uuid(), snapshot: {} })
      for (let left = steps; left > 0; left -= 1) step()
      if (hasSubagent) subagent()
      call([{ type: 'text', text: text.units(text.between(100, 1500)) }], 'end_turn')
      noise({ type: 'last-prompt', lastPrompt: prompt, leafUuid: parent, sessionId: id })
    },
    /** The agent ends, and writes its totals. */
    exit(): void {
      const { input, output, cacheRead, cacheWrite, costUsd } = session.total
      const model = { inputTokens: input, outputTokens: output, cacheReadInputTokens: cacheRead }
      put({
        ...{ type: 'cost-state', sessionId: id, totalCostUSD: costUsd, totalAPIDuration: 1400 },
        modelUsage: {
          'claude-opus-5-5': { ...model, cacheCreationInputTokens: cacheWrite, costUSD: costUsd },
        },
      })
    },
  }
}

const usageOf = (text: HistoryText): Served => {
  const input = text.between(2, 40)
  const output = text.between(10, 900)
  const cacheRead = text.between(5000, 90_000)
  const cacheWrite = text.between(100, 4000)
  const costUsd = (5 * input + 25 * output + 0.5 * cacheRead + 6.25 * cacheWrite) / 1e6
  return { calls: 1, input, output, cacheRead, cacheWrite, costUsd }
}

const wireUsage = ({ input, output, cacheRead, cacheWrite }: Served) => ({
  ...{ input_tokens: input, cache_creation_input_tokens: cacheWrite },
  ...{ cache_read_input_tokens: cacheRead, output_tokens: output },
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard',
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: cacheWrite },
  ...{ inference_geo: 'not_available', iterations: [], speed: 'standard' },
})
