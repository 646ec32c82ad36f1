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

/** Writes lines into a session, with the fields in the order of real files. */
class LineWriter {
  readonly session: GeneratedSession
  protected readonly text: HistoryText
  protected parent: string | null = null
  protected lines: string[]
  protected side: { agentId: string } | undefined

  protected readonly options: SessionOptions

  constructor(options: SessionOptions) {
    this.options = options
    this.text = options.text
    this.session = {
      ...{ id: options.id, lines: [], subagents: new Map(), total: nothingServed() },
    }
    this.lines = this.session.lines
  }

  private begin() {
    return { parentUuid: this.parent, isSidechain: this.side !== undefined }
  }

  protected put(line: object): void {
    this.lines.push(JSON.stringify(line))
  }

  private putMessage(fields: object): void {
    const { id: sessionId, cwd } = this.options
    const line = {
      ...{ ...fields, uuid: this.text.uuid(), timestamp: this.text.time() },
      ...{ userType: 'external', entrypoint: 'cli', cwd, sessionId },
      ...{ version: '2.1.325', gitBranch: 'main' },
    }
    this.parent = line.uuid
    this.put(line)
  }

  protected noise(line: object): void {
    if (!this.options.onlyMessages) this.put(line)
  }

  protected attachment(type: string, size: number): void {
    if (this.options.onlyMessages) return
    const attachment = { type, content: this.text.units(size) }
    this.putMessage({ ...this.begin(), ...this.side, attachment, type: 'attachment' })
  }

  protected request(type: string, size: number): void {
    const { id: sessionId } = this.options
    this.noise({ type, sessionId, hash: this.text.hex(64), message: this.text.units(size) })
  }

  protected user(content: unknown, more: object = {}): void {
    this.putMessage({
      ...{ ...this.begin(), promptId: this.text.uuid(), ...this.side, type: 'user' },
      ...{ message: { role: 'user', content }, ...more },
    })
  }

  /** One call of the model. Each block is a line, with the usage of the whole message. */
  protected call(blocks: readonly object[], stopReason: string): void {
    const { text } = this
    this.noise({ type: 'atis-latch', atis: '', sessionId: this.options.id })
    this.request('api-request', 1100)
    const used = usageOf(text)
    const id = `msg_01${text.hex(22)}`
    const message = { model: 'claude-opus-5-5', id, type: 'message', role: 'assistant' }
    const requestId = `req_01${text.hex(22)}`
    const end = { stop_reason: stopReason, stop_sequence: null, usage: wireUsage(used) }
    for (const [apiBlockIndex, block] of blocks.entries())
      this.putMessage({
        ...{ ...this.begin(), ...this.side, message: { ...message, content: [block], ...end } },
        ...{ apiBlockIndex, requestId, requestRef: text.uuid(), type: 'assistant' },
      })
    addTo(this.options.served, used)
    addTo(this.session.total, used)
  }

  protected tool(name: string, input: object): string {
    const { text } = this
    const id = `toolu_01${text.hex(22)}`
    const blocks: object[] = [{ type: 'tool_use', id, name, input }]
    if (text.chance(0.4)) blocks.unshift({ type: 'text', text: text.units(text.between(40, 400)) })
    const thinking = text.units(text.between(100, 900))
    if (text.chance(0.3)) blocks.unshift({ type: 'thinking', thinking, signature: text.hex(300) })
    this.call(blocks, 'tool_use')
    return id
  }

  protected result(toolId: string, output: string, toolUseResult: object): void {
    const content = [{ tool_use_id: toolId, type: 'tool_result', content: output }]
    this.user(content, { toolUseResult, sourceToolAssistantUUID: this.parent })
  }
}

/** Writes whole turns into a session. */
export class SessionWriter extends LineWriter {
  /** What the agent writes when it starts. */
  prelude(): void {
    for (const type of ['environment', 'model', 'deferred_tools_delta', 'agent_listing_delta'])
      this.attachment(type, sizes.attachment)
    this.attachment('skill_listing', sizes.skills)
    for (const type of ['prompt_snapshot', 'prompt_snapshot']) this.attachment(type, sizes.snapshot)
    this.request('api-request-shape', sizes.shape)
    for (let blob = 0; blob < 2; blob += 1) this.request('api-request-blob', sizes.blob)
  }

  /** Copies the messages of another session, as a fork does. `isMarked`: as `/branch` does. */
  copy(original: GeneratedSession, isMarked: boolean): void {
    const { id } = this.options
    for (const line of original.lines) {
      const messageUuid = /"uuid":"([^"]*)"/.exec(line)?.[1]
      if (messageUuid === undefined) continue
      const own = line.replaceAll(`"sessionId":"${original.id}"`, `"sessionId":"${id}"`)
      const forkedFrom = JSON.stringify({ sessionId: original.id, messageUuid })
      this.lines.push(isMarked ? `${own.slice(0, -1)},"forkedFrom":${forkedFrom}}` : own)
      this.parent = messageUuid
    }
    // Only `--fork-session` goes on with the totals.
    this.session.total = isMarked ? nothingServed() : { ...original.total }
  }

  turn(steps: number, hasSubagent: boolean): void {
    const { text } = this
    const { id: sessionId } = this.options
    const prompt = text.units(text.between(20, 400))
    const origin = { kind: 'human' }
    this.user(prompt, { promptSource: 'typed', permissionMode: 'default', origin })
    this.noise({ type: 'file-history-snapshot', messageId: text.uuid(), snapshot: {} })
    for (let left = steps; left > 0; left -= 1) this.step()
    if (hasSubagent) this.subagent()
    this.call([{ type: 'text', text: text.units(text.between(100, 1500)) }], 'end_turn')
    this.noise({ type: 'last-prompt', lastPrompt: prompt, leafUuid: this.parent, sessionId })
  }

  /** The agent ends, and writes its totals. */
  exit(): void {
    const { input, output, cacheRead, cacheWrite, costUsd } = this.session.total
    const model = { inputTokens: input, outputTokens: output, cacheReadInputTokens: cacheRead }
    this.put({
      ...{ type: 'cost-state', sessionId: this.options.id, totalCostUSD: costUsd },
      modelUsage: {
        'claude-opus-5-5': { ...model, cacheCreationInputTokens: cacheWrite, costUSD: costUsd },
      },
    })
  }

  private step(): void {
    const { text } = this
    const kind = text.between(0, 2)
    const output = text.units(text.between(100, 3000))
    const filePath = `${this.options.cwd}/src/${text.hex(6)}.ts`
    if (kind === 0) {
      const file = { filePath, content: output, numLines: 80, startLine: 1 }
      this.result(this.tool('Read', { file_path: filePath }), output, { type: 'text', file })
    } else if (kind === 1) {
      const input = { command: `npm test -- ${text.hex(8)}`, description: 'Run a test' }
      const shell = { stdout: output, stderr: '', interrupted: false, isImage: false }
      this.result(this.tool('Bash', input), output, shell)
    } else {
      const [oldString, newString] = [text.units(200), text.units(250)]
      const input = { file_path: filePath, old_string: oldString, new_string: newString }
      const edit = { filePath, oldString, newString }
      this.result(this.tool('Edit', input), 'The file was updated.', edit)
    }
  }

  private subagent(): void {
    const { text, session } = this
    const prompt = text.units(300)
    const input = { description: 'Look around', prompt, subagent_type: 'general-purpose' }
    const toolUseId = this.tool('Agent', input)
    const before = { lines: this.lines, parent: this.parent }
    const agentId = `a${text.hex(16)}`
    this.lines = []
    this.side = { agentId }
    this.parent = null
    this.user(prompt)
    for (let steps = text.between(1, 3); steps > 0; steps -= 1) this.step()
    this.call([{ type: 'text', text: text.units(400) }], 'end_turn')
    const meta = { agentType: 'general-purpose', toolUseId, spawnDepth: 1, finished: true }
    session.subagents.set(`agent-${agentId}.jsonl`, this.lines)
    session.subagents.set(`agent-${agentId}.meta.json`, [JSON.stringify(meta)])
    this.side = undefined
    Object.assign(this, before)
    const content = [{ type: 'text', text: text.units(400) }]
    // The usage of the last call is there again.
    const usage = wireUsage(usageOf(text))
    const found = { status: 'completed', prompt, agentId, content, totalTokens: 8302, usage }
    this.result(toolUseId, text.units(400), found)
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
