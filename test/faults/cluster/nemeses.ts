import type { Nemesis } from './nemesis.ts'
import { nodeFaults } from './node-faults.ts'
import { serverFaults } from './server-faults.ts'

export const nemeses: readonly Nemesis[] = [...nodeFaults, ...serverFaults]

/** Faults that are quick: for `npm test`. */
export const quickNemeses: readonly string[] = [
  'kill -9 of an owner',
  'kill -9 of the JetStream leader',
  'stop of a node past its lease, and wake-up',
  'link no_answers',
]
