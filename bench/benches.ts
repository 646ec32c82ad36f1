import type { Bench } from './bench.ts'
import { claudeCoarse, claudeEventLast, claudePartial } from './inputs/claude.ts'
import { piNew, piUsageChanges } from './inputs/pi-new.ts'
import { piMessageFirst, piOld } from './inputs/pi-old.ts'
import { hugeLines, piToolUpdates } from './inputs/pi-tools.ts'
import { tinyDeltas, tinyLines } from './inputs/tiny.ts'

const MB = 1_000_000
const common = { transport: 'memory', rounds: 5 } as const
const never = { ...common, goals: { readline: 1 } }

/** What Sluice is made for, then what its shortcut cannot help with. */
export const benches: Bench[] = [
  {
    name: 'pi-old',
    agent: 'pi',
    transport: 'child',
    fill: piOld,
    rounds: 3,
    goals: { readline: 20, scan: 0.6 },
    peakRssMb: 100,
  },
  { ...common, name: 'pi-new', agent: 'pi', fill: piNew, goals: { readline: 1.8 } },
  {
    ...common,
    name: 'claude-coarse',
    agent: 'claude',
    fill: claudeCoarse,
    goals: { readline: 1.4 },
  },
  {
    ...common,
    name: 'claude-partial',
    agent: 'claude',
    fill: claudePartial,
    goals: { readline: 1.4 },
  },
  { ...never, name: 'pi-message-first', agent: 'pi', fill: piMessageFirst },
  { ...never, name: 'pi-usage-changes', agent: 'pi', fill: piUsageChanges },
  { ...never, name: 'claude-event-last', agent: 'claude', fill: claudeEventLast },
  { ...never, name: 'one-12mb-line', agent: 'pi', fill: hugeLines(12 * MB, 12 * MB) },
  { ...never, name: 'tiny-deltas', agent: 'pi', fill: tinyDeltas },
  { ...never, name: 'tiny-lines', agent: 'pi', fill: tinyLines },
  { ...never, name: 'tool-updates', agent: 'pi', fill: piToolUpdates },
]
