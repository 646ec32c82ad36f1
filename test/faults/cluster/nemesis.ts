import type { Random } from '../random.ts'
import type { Rig } from './rig.ts'

/** Something that goes wrong, and is over when `strike` resolves. */
export interface Nemesis {
  readonly name: string
  /** Why it cannot be tried here. */
  problem?(rig: Rig): string | undefined
  /** Strikes. What it stops or cuts is locked meanwhile, because several may strike at the same time. */
  strike(rig: Rig, random: Random): Promise<void>
}

/** Why the faults of disks cannot be tried. */
export const noDisk = ({ disks }: Rig): string | undefined =>
  disks ? undefined : 'this user may not mount a disk'
