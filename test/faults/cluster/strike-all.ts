import { setTimeout as pause } from 'node:timers/promises'
import type { Trial } from '../fault.ts'
import { createRandom, type Random } from '../random.ts'
import { nemeses } from './nemeses.ts'
import type { Nemesis } from './nemesis.ts'
import type { Rig } from './rig.ts'
import { serverFaults } from './server-faults.ts'

export interface StrikeOptions {
  /**
   * The nemeses of each round, again and again, such as `link cut + kill -9 of an owner`. Default: all, at
   * random.
   */
  rounds?: readonly string[] | undefined
  /** Resolves when everything works again. */
  untilWorking(after: string): Promise<void>
}

/** How many nemeses strike at the same time, at most. */
const maxTogether = 4
/** The second one begins so much later, at most. */
const staggerMs = 1500

/**
 * Lets nemeses strike as long as the trial goes on. Each round has one, or several that overlap, and ends
 * when everything works again. The seed alone determines what strikes in which round, and for how long.
 */
export const strikeAll = async (
  rig: Rig,
  trial: Trial,
  { rounds, untilWorking }: StrikeOptions,
): Promise<void> => {
  const tried = new Map<string, number[]>()
  const possible = nemeses.filter(({ problem }) => problem?.(rig) === undefined)
  for (let round = 0; ; round += 1) {
    const random = createRandom(trial.seed + round * 7919)
    const planned = planRound(possible, random, rounds?.[round % rounds.length])
    const chosen = planned.filter(() => trial.goesOn())
    if (chosen.length === 0) break
    const what = chosen.map(({ name }) => name).join(' + ')
    trial.note(`round ${round}: ${what}`)
    await strikeTogether(rig, random, chosen)
    const began = performance.now()
    await untilWorking(what)
    const recovered = (performance.now() - began) / 1000
    trial.note(`round ${round}: works again after ${recovered.toFixed(1)} s`)
    for (const { name } of chosen) tried.set(name, [...(tried.get(name) ?? []), recovered])
    if (chosen.length > 1) trial.count('rounds with several faults at once')
    await pause(random.below(300))
  }
  for (const [name, times] of tried)
    trial.count(`× ${name} (works again within ${Math.max(...times).toFixed(1)} s)`, times.length)
}

/** Each has random choices of its own, so that they do not depend on which one is faster. */
const strikeTogether = async (
  rig: Rig,
  random: Random,
  chosen: readonly Nemesis[],
): Promise<void> => {
  const strikes = chosen.map(async (nemesis, at) => {
    const own = createRandom(random.below(2 ** 31))
    await pause(at === 0 ? 0 : own.below(staggerMs))
    await nemesis.strike(rig, own)
  })
  await Promise.all(strikes)
}

/**
 * What strikes in a round: what was named, or some at random. At most one of them strikes the NATS servers:
 * see `server-faults.ts`.
 */
export const planRound = (
  possible: readonly Nemesis[],
  random: Random,
  names?: string,
): readonly Nemesis[] => {
  if (names !== undefined) {
    const found = names.split(' + ').map((name) => possible.find((each) => each.name === name))
    return found.map((each) => {
      if (!each) throw new Error(`These faults cannot be tried here: ${names}`)
      return each
    })
  }
  const together = 1 + random.below(maxTogether)
  const chosen: Nemesis[] = []
  while (chosen.length < together) {
    const hasServers = chosen.some((each) => serverFaults.includes(each))
    const left = hasServers ? possible.filter((each) => !serverFaults.includes(each)) : possible
    const next = left[random.below(left.length)]
    if (!next) throw new Error('No fault can be tried here.')
    chosen.push(next)
  }
  return chosen
}
