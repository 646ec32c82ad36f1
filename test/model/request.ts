import { z } from 'zod'

const block = z.object({ type: z.string(), text: z.string().optional() })

/** The JSON schema of a tool’s arguments. */
export const toolSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
})

const tool = z.object({ name: z.string(), input_schema: toolSchema.optional() })

const messagesRequest = z.object({
  model: z.string(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
  tools: z.array(tool).optional(),
})

/** The fields of a Messages request that scripts need. */
type MessagesRequest = z.infer<typeof messagesRequest>

/** A tool that the agent offers: its name and inputs differ between agents. */
export interface Tool extends z.infer<typeof tool> {
  /** Takes plain text instead of JSON. */
  isFreeform?: boolean
}

/** What a script needs of a model call, whatever its API. */
export interface Call {
  model: string
  isStreamed: boolean
  tools: Tool[]
  /** The agent’s working directory, as its prompt names it. */
  cwd?: string | undefined
  /** Undefined for side calls, which follow no script. */
  position: ScriptPosition | undefined
}

/** The scenario of a request, and the step in its script. */
export interface ScriptPosition {
  scenario: string
  step: number
}

/** Parses a Messages request; undefined if the body is not one. */
export function readMessagesRequest(body: string): Call | undefined {
  const request = messagesRequest.safeParse(parseJson(body)).data
  if (request === undefined) return undefined
  const { model, stream = false, tools = [] } = request
  const isAside = model.includes('haiku') || request.max_tokens === 1
  const position = isAside ? undefined : positionIn(request.messages.map(saidIn))
  return { model, isStreamed: stream, tools, position }
}

/** One entry of a conversation: whose it is, and its text. */
export interface Said {
  isModel: boolean
  text: string
}

/**
 * The last user text with the word `scenario:NAME` names the scenario; without the word it is
 * `text`. The step is the number of answers since then.
 */
export function positionIn(said: readonly Said[]): ScriptPosition {
  const names = said.map(({ isModel, text }) => (isModel ? undefined : scenarioNamed(text)))
  const prompt = names.findLastIndex((name) => name !== undefined)
  const step = said.slice(prompt + 1).filter(({ isModel }) => isModel).length
  return { scenario: names[prompt] ?? 'text', step }
}

function saidIn({ role, content }: MessagesRequest['messages'][number]): Said {
  const texts = typeof content === 'string' ? [content] : content.map((part) => part.text ?? '')
  return { isModel: role === 'assistant', text: role === 'user' ? texts.join('\n') : '' }
}

/** The last one: after an interrupt, some agents send both prompts as one message. */
function scenarioNamed(text: string): string | undefined {
  return [...text.matchAll(/\bscenario:([\w-]+)/g)].at(-1)?.[1]
}

/** The value of a JSON text; undefined if it is not one. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
