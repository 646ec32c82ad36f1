import type { z } from 'zod'
import {
  assistantMessageEvent,
  blobRef,
  block,
  contextGauge,
  cost,
  delivery,
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

/** The parts of events that have a name, in the order of the page. */
export const shapes = {
  assistantMessageEvent,
  message,
  messageRole,
  delivery,
  toolResultMessage,
  block,
  blobRef,
  stopReason,
  errorCode,
  usage,
  cost,
  totals,
  provenance,
  contextGauge,
  reportedUsage,
  queued,
  turnState,
} satisfies Record<string, z.ZodType>
export type ShapeName = keyof typeof shapes

/** The values of a shape that is an enumeration, with their meanings. */
export const valuesOf = (name: string): Readonly<Record<string, string>> | undefined => {
  if (name === 'stopReason') return stopReasons
  return name === 'errorCode' ? errorCodes : undefined
}

/** The stop reasons of the recordings with their meanings. Agents can add others. */
export const stopReasons: Readonly<Record<string, string>> = {
  stop: 'It finished.',
  toolUse: 'It waits for the results of tools.',
  length: 'The limit of output tokens was reached.',
  error: 'It failed. `errorMessage` has the reason if the agent reports it.',
  aborted: 'A person or a program stopped it.',
  interrupted: 'The agent’s output ended first.',
  abandoned:
    'The agent dropped what it had streamed. See [`message_withdrawn`](#message_withdrawn).',
  refusal: 'The model refused to answer.',
}
