import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { nemeses, quickNemeses } from './nemeses.ts'
import { serverFaults } from './server-faults.ts'
import { planRound } from './strike-all.ts'

const plan = (seed: number): string[] =>
  Array.from({ length: 200 }, (_, round) =>
    planRound(nemeses, createRandom(seed + round * 7919))
      .map(({ name }) => name)
      .join(' + '),
  )

test('the seed decides what strikes in which round', () => {
  expect(plan(7)).toEqual(plan(7))
  expect(plan(7)).not.toEqual(plan(8))
})

test('in a long run, every fault strikes, alone and together with others', () => {
  const rounds = plan(7)
  for (const { name } of nemeses) expect(rounds.join(' + ').split(' + ')).toContain(name)
  expect(rounds.some((names) => names.includes(' + '))).toBe(true)
  expect(rounds.some((names) => !names.includes(' + '))).toBe(true)
})

test('at most one fault of a round strikes the NATS servers', () => {
  for (const round of plan(7)) {
    const names = round.split(' + ')
    expect(serverFaults.filter(({ name }) => names.includes(name)).length).toBeLessThan(2)
  }
})

test('rounds can be named, and each quick fault exists', () => {
  const names = quickNemeses.join(' + ')
  const planned = planRound(nemeses, createRandom(1), names)
  expect(planned.map(({ name }) => name)).toEqual(quickNemeses)
  expect(() => planRound(nemeses, createRandom(1), 'link gone')).toThrow('link gone')
})
