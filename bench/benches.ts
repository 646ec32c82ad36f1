import type { Bench } from './bench.ts'
import { claudeCoarse, claudeEventLast, claudePartial } from './inputs/claude.ts'
import { piNew, piUsageChanges } from './inputs/pi-new.ts'
import { piMessageFirst, piOld } from './inputs/pi-old.ts'
import { hugeLines, piToolUpdates } from './inputs/pi-tools.ts'
import { recorded } from './inputs/recorded.ts'
import { tinyDeltas, tinyLines } from './inputs/tiny.ts'

const MB = 1_000_000
const pi = { agent: 'pi', transport: 'memory', rounds: 5, passes: 5 } as const
const claude = { ...pi, agent: 'claude' } as const
/** No input may be slower than a reader that builds the same events. */
const neverSlower = { 'readline-events': 1 }
const hard = { rounds: 3, goals: neverSlower }
/** Large enough that compilation does not matter. */
const long = { ...hard, passes: undefined }

/** First the inputs that Sluice is made for, then those where its shortcuts do not help. */
export const benches: Bench[] = [
  {
    ...pi,
    name: 'pi-old',
    transport: 'child',
    passes: undefined,
    fill: piOld,
    goals: { readline: 20, scan: 0.6 },
    peakRssMb: 100,
  },
  { ...pi, name: 'pi-new', fill: piNew, goals: { readline: 1.8 } },
  { ...claude, name: 'claude-coarse', fill: claudeCoarse, goals: neverSlower },
  { ...claude, name: 'claude-partial', fill: claudePartial, goals: { readline: 1.4 } },
  { ...pi, name: 'pi-message-first', fill: piMessageFirst, ...long },
  { ...pi, name: 'pi-usage-changes', fill: piUsageChanges, ...hard },
  { ...claude, name: 'claude-event-last', fill: claudeEventLast, ...hard },
  { ...pi, name: 'one-12mb-line', fill: hugeLines(12 * MB, 12 * MB), ...long },
  { ...pi, name: 'tiny-deltas', fill: tinyDeltas, ...hard },
  { ...pi, name: 'tiny-lines', fill: tinyLines, ...hard },
  { ...pi, name: 'tool-updates', fill: piToolUpdates, ...long },
  ...['codex', 'opencode', 'gemini', 'qwen', 'copilot', 'cline', 'acp'].map((agent) => ({
    ...{ ...pi, agent, name: agent, fill: recorded(agent, 20), ...hard, passes: 15 },
  })),
]
