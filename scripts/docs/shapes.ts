import type { z } from 'zod'
import {
  assistantMessageEvent,
  blobRef,
  block,
  contextGauge,
  cost,
  errorCode,
  errorCodes,
  message,
  messageRole,
  provenance,
  queued,
  reportedUsage,
  stopReason,
  toolResultMessage,
  totals,
  turnState,
  usage,
} from '../../src/events/index.ts'

interface Shape {
  schema: z.ZodType
  /** What it is, where the schema does not say so well enough for a page. */
  about?: string
}

/** What events are made of: the parts with a name, in the order of the page. */
export const shapes = {
  assistantMessageEvent: {
    schema: assistantMessageEvent,
    about:
      'One step of an assistant message while it streams. The last is always `done` or `error`; a variant that a client does not know is to be ignored.',
  },
  message: { schema: message, about: 'A whole message, as it stands in the conversation.' },
  messageRole: { schema: messageRole },
  toolResultMessage: {
    schema: toolResultMessage,
    about: 'The message that carries a tool’s result back to the model.',
  },
  block: {
    schema: block,
    about:
      'One piece of a message. A block of a kind that Sluice does not know is passed on as the agent gave it; of one that was too large, its beginning, with a `blob` that is the whole block as JSON.',
  },
  blobRef: {
    schema: blobRef,
    about:
      'Names bytes that are kept apart from the events; see [large payloads](#large-payloads).',
  },
  stopReason: {
    schema: stopReason,
    about:
      'Why a message, a turn or a run stopped. Agents may have words of their own: treat one that is not here as `stop`.',
  },
  errorCode: {
    schema: errorCode,
    about: 'What went wrong, by a name that programs may rely on.',
  },
  usage: {
    schema: usage,
    about:
      'Tokens and money of one model call. A field that the agent did not give is absent, not zero.',
  },
  cost: {
    schema: cost,
    about: 'Money for one call, in US dollars, split by kind where the agent splits it.',
  },
  totals: {
    schema: totals,
    about: 'A sum over calls, with the provenance of its tokens and of its money.',
  },
  provenance: {
    schema: provenance,
    about:
      'Where an amount comes from: the agent said it, it was computed from prices, or it is a lower bound until the agent says more.',
  },
  contextGauge: {
    schema: contextGauge,
    about: 'How full the context window is, after the last call of the main thread.',
  },
  reportedUsage: {
    schema: reportedUsage,
    about: 'What an agent itself says about its whole process so far: counters that only grow.',
  },
  queued: { schema: queued, about: 'Messages that wait for the agent.' },
  turnState: {
    schema: turnState,
    about: 'Where a turn stands. A step is one model message with the tools it asks for.',
  },
} satisfies Record<string, Shape>
export type ShapeName = keyof typeof shapes

/** What a shape is, where the table says it. */
export const aboutShape = (name: string): string | undefined => {
  const shape: Shape | undefined = isShapeName(name) ? shapes[name] : undefined
  return shape?.about
}

const isShapeName = (name: string): name is ShapeName => Object.hasOwn(shapes, name)

/** Shapes that are a list of words, each with its meaning. */
export const wordsOf = (name: string): Readonly<Record<string, string>> | undefined => {
  if (name === 'stopReason') return stopReasons
  return name === 'errorCode' ? errorCodes : undefined
}

/** The stop reasons that streams hold, and what each means. Others may come. */
export const stopReasons: Readonly<Record<string, string>> = {
  stop: 'It was done.',
  toolUse: 'It waits for the results of tools.',
  length: 'The limit of output tokens was reached.',
  error: 'It failed; `errorMessage` says how, where the agent did.',
  aborted: 'A person or a program stopped it.',
  interrupted: 'The stream ended first; how it would have gone on is not known.',
  abandoned:
    'The agent gave up what it had streamed; see [`message_withdrawn`](#message_withdrawn).',
  refusal: 'The model declined to answer.',
}
