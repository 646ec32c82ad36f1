import { z } from 'zod'

const block = z.object({ type: z.string(), text: z.string().optional() })

const tool = z.object({
  name: z.string(),
  input_schema: z.object({ properties: z.record(z.string(), z.unknown()).optional() }).optional(),
})

const messagesRequest = z.object({
  model: z.string(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
  tools: z.array(tool).optional(),
})

/** A request to the Messages API, as far as a script must know it. */
export type MessagesRequest = z.infer<typeof messagesRequest>

/** A tool that the agent offers: its name and inputs differ between agents. */
export type Tool = z.infer<typeof tool>

/** Where in which script a request stands. */
export interface Place {
  scenario: string
  step: number
}

/** Reads the body of a Messages request; undefined for what is none. */
export function readRequest(body: string): MessagesRequest | undefined {
  return messagesRequest.safeParse(parse(body)).data
}

/**
 * The scenario is named by the last user text that has the word `scenario:NAME`; the step is the
 * number of answers since. Without the word it is plain `text`. Undefined for the side calls that
 * some agents make (titles by a small model, a quota check of one token): they follow no script.
 */
export function placeOf(request: MessagesRequest): Place | undefined {
  if (request.model.includes('haiku') || request.max_tokens === 1) return undefined
  const names = request.messages.map(scenarioNamed)
  const prompt = names.findLastIndex((name) => name !== undefined)
  const since = request.messages.slice(prompt + 1)
  const step = since.filter((message) => message.role === 'assistant').length
  return { scenario: names[prompt] ?? 'text', step }
}

function scenarioNamed(message: MessagesRequest['messages'][number]): string | undefined {
  if (message.role !== 'user') return undefined
  const { content } = message
  const texts = typeof content === 'string' ? [content] : content.map((part) => part.text ?? '')
  // The last one: after an interrupt, some agents send both prompts as one message.
  return [...texts.join('\n').matchAll(/\bscenario:([\w-]+)/g)].at(-1)?.[1]
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
