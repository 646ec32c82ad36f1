import type { Agent } from '../agent.ts'
import { createTextDecoder } from './decode.ts'
import { textEntry } from './entry.ts'

/** Any program that prints text. What it prints becomes messages, and its exit code the end. */
export const text: Agent = {
  ...textEntry,
  isText: true,
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  // The person names the whole command: it has its prompt in it, if it needs one.
  command: (_, { extra = [] } = {}) => [...extra],
  createDecoder: createTextDecoder,
}
