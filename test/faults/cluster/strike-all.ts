import { setTimeout as pause } from 'node:timers/promises'
import type { Trial } from '../fault.ts'
import { type Nemesis, nemeses } from './nemeses.ts'
import type { Rig } from './rig.ts'

/**
 * Lets nemeses strike as long as the trial goes on: the named ones in this order again and again, or all
 * at random. After each, `untilWorking` resolves with how long it took until everything worked again.
 */
export const strikeAll = async (
  rig: Rig,
  trial: Trial,
  names: readonly string[] | undefined,
  untilWorking: (after: string) => Promise<number>,
): Promise<void> => {
  const tried = new Map<string, number[]>()
  for (let index = 0; trial.goesOn(); index += 1) {
    const nemesis = choose(rig, trial, index, names)
    await nemesis.strike(rig, trial.random)
    const recovered = await untilWorking(nemesis.name)
    tried.set(nemesis.name, [...(tried.get(nemesis.name) ?? []), recovered])
    await pause(trial.random.below(300))
  }
  for (const [name, times] of tried) {
    const worst = (Math.max(...times) / 1000).toFixed(1)
    trial.count(`× ${name} (works again within ${worst} s)`, times.length)
  }
}

const choose = (
  rig: Rig,
  { random }: Trial,
  index: number,
  names: readonly string[] | undefined,
): Nemesis => {
  const possible = nemeses.filter(
    ({ name, problem }) => (names?.includes(name) ?? true) && problem?.(rig) === undefined,
  )
  const wanted = names?.[index % names.length]
  const chosen =
    possible.find(({ name }) => name === wanted) ?? possible[random.below(possible.length)]
  if (!chosen) throw new Error('No fault can be tried here.')
  return chosen
}
