import { badAgents } from './bad-agents.ts'
import { clusterFault } from './cluster/cluster.ts'
import { nodesFault } from './cluster/nodes.ts'
import { cuts } from './cuts.ts'
import { disk } from './disk.ts'
import type { Fault } from './fault.ts'
import { flips } from './flips.ts'
import { flood } from './flood.ts'
import { kill } from './kill.ts'
import { powerCut, tracedPowerCut } from './power-cut/power-cut.ts'

/** All faults, in the order in which `npm run soak` tries them. */
export const faults: readonly Fault[] = [
  kill,
  cuts,
  powerCut,
  tracedPowerCut,
  disk,
  flips,
  badAgents,
  flood,
  clusterFault(),
  nodesFault(),
]
