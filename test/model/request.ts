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

/** The fields of a Messages request that scripts need. */
export type MessagesRequest = z.infer<typeof messagesRequest>

/** A tool that the agent offers: its name and inputs differ between agents. */
export type Tool = z.infer<typeof tool>

/** The scenario of a request, and the step in its script. */
export interface ScriptPosition {
  scenario: string
  step: number
}

/** Parses a Messages request; undefined if the body is not one. */
export function readRequest(body: string): MessagesRequest | undefined {
  return messagesRequest.safeParse(parse(body)).data
}

/**
 * The last user text with the word `scenario:NAME` names the scenario; without the word it is
 * `text`. The step is the number of answers since then. Undefined for side calls, which follow no
 * script: titles by a small model, or a quota check of one token.
 */
export function positionOf(request: MessagesRequest): ScriptPosition | undefined {
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
