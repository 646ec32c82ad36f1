import type { AgentEntry } from '../agent.ts'

/** Pi in the table of agents. */
export const piEntry = {
  name: 'pi',
  title: 'Pi',
  program: 'pi',
  programVariable: 'PI_BIN',
  adapter: 'piSdk',
  load: async () => (await import('./index.ts')).pi,
} as const satisfies AgentEntry
