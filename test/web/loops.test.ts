import { describe, expect, test } from 'vitest'
import type { LoopInfo } from '../../src/events/index.ts'
import {
  durationText,
  readAmount,
  readDuration,
  readLimits,
  readTokens,
} from '../../web/src/limits/read-limits.ts'
import {
  readLimitChange,
  readLoopLimits,
  typedLoopLimits,
} from '../../web/src/loops/loop-limits.ts'
import { loopName } from '../../web/src/loops/loop-name.ts'
import { groupSessions } from '../../web/src/state/groups.ts'

const loop = (id: string, fields: Partial<LoopInfo> = {}): LoopInfo => ({
  id,
  agent: 'demo',
  cwd: '/garden',
  promise: 'LOOP_COMPLETE',
  limits: {},
  state: 'running',
  createdAt: 1,
  updatedAt: 1,
  iterationCount: 0,
  durationMs: 0,
  usage: {
    ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null },
    provenance: { tokens: 'reported', cost: null },
  },
  failures: 0,
  stale: 0,
  iterations: [],
  ...fields,
})

const session = (id: string, fields: { loopId?: string; iteration?: number } = {}) => ({
  ...{ id, agent: 'demo', cwd: '/', createdAt: 0, updatedAt: 0, lastActivity: 0 },
  state: 'running' as const,
  ...fields,
})

describe('a loop in a list of sessions', () => {
  test('is one group with its iterations, the last one first, which no other list repeats', () => {
    const iterations = [1, 3, 2].map((each) =>
      session(`s${each}`, { loopId: 'l', iteration: each }),
    )
    const groups = groupSessions([...iterations, session('other')], [loop('l')])
    expect(groups.active.map(({ id }) => id)).toEqual(['other'])
    expect(groups.projects).toEqual([])
    expect(groups.doneLoops).toEqual([])
    expect(groups.openLoops.map(({ sessions }) => sessions.map(({ id }) => id))).toEqual([
      ['s3', 's2', 's1'],
    ])
  })

  test('is listed before its first iteration, and after the projects when it is over', () => {
    const over = loop('over', { state: 'done', createdAt: 3 })
    const groups = groupSessions([], [loop('a'), over, loop('b', { createdAt: 2 })])
    expect(groups.openLoops.map(({ loopId }) => loopId)).toEqual(['b', 'a'])
    expect(groups.doneLoops.map(({ loopId }) => loopId)).toEqual(['over'])
  })

  test('that the server no longer lists still groups its sessions', () => {
    const groups = groupSessions([session('s', { loopId: 'gone', iteration: 1 })])
    expect(groups.doneLoops).toMatchObject([{ loopId: 'gone', loop: undefined }])
  })

  test('is called by its name, else by the first line of its prompt, else by its file', () => {
    expect(loopName(loop('l', { name: 'Tidy', prompt: 'x' }))).toBe('Tidy')
    expect(loopName(loop('l', { prompt: '\nFix the tests\nand more' }))).toBe('Fix the tests')
    expect(loopName(loop('l', { prompt: 'x'.repeat(200) }))).toHaveLength(80)
    expect(loopName(loop('l', { promptFile: '/garden/PROMPT.md' }))).toBe('PROMPT.md')
  })
})

describe('a typed limit', () => {
  test.each([
    ['2.50', 2.5],
    ['$3', 3],
    ['0,5', 0.5],
    ['0', undefined],
    ['-1', undefined],
    ['1e9', undefined],
    ['$1,234.50', 1234.5],
    ['12,00,00', undefined],
    ['free', undefined],
  ])('the cost %j is %j', (text, value) => expect(readAmount(text)).toBe(value))

  test.each([
    ['500', 500],
    ['500k', 500_000],
    ['500,000', 500_000],
    ['1,5M', 1_500_000],
    ['1,2,3', undefined],
    ['1.5 M', 1_500_000],
    ['2.2B', 2_200_000_000],
    ['0.1', undefined],
    ['k', undefined],
  ])('the tokens %j are %j', (text, value) => expect(readTokens(text)).toBe(value))

  test.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['1.5h', 5_400_000],
    ['1h 30m', 5_400_000],
    ['2d', 172_800_000],
    ['30', undefined],
    ['0m', undefined],
    ['h', undefined],
  ])('the time %j is %j ms', (text, value) => expect(readDuration(text)).toBe(value))

  test('that cannot be read says which field is wrong; an empty one is no limit', () => {
    expect(readLimits({ cost: ' ', tokens: '', time: '' })).toEqual({})
    expect(() => readLimits({ cost: '', tokens: '', time: 'soon' })).toThrow(/time/)
  })

  test('of a loop is typed as it is read', () => {
    const limits = {
      maxIterations: 7,
      maxDurationMs: 5_430_000,
      maxCostUsd: 2.5,
      maxTokens: 1000,
      maxFailures: 2,
      maxStale: 4,
    }
    expect(readLoopLimits(typedLoopLimits(limits))).toEqual(limits)
    expect(durationText(5_430_000)).toBe('1h 30m 30s')
    expect(durationText(1_500)).toBe('1.5s')
    const typed = { ...typedLoopLimits(limits), iterations: '', time: '' }
    expect(readLimitChange(typed)).toEqual({ ...limits, maxIterations: null, maxDurationMs: null })
  })
})
