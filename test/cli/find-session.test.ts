import { describe, expect, test } from 'vitest'
import { findSession, shortId } from '../../src/cli/find-session.ts'
import { Fault } from '../../src/shared/fault.ts'
import { session } from '../log/samples.ts'

const roses = session('3f2a91c0-0000-4000-8000-000000000001', { name: 'Roses', updatedAt: 3 })
const tulips = session('3f2a92c0-0000-4000-8000-000000000002', { name: 'Tulips', updatedAt: 2 })
const untitled = session('77aa0000-0000-4000-8000-000000000003', { title: 'Plant roses now' })
const odd = session('88bb0000-0000-4000-8000-000000000004', { name: '3f2a91c0' })
const all = [roses, tulips, untitled]

const problemOf = (wanted: string, among = all): string => {
  try {
    return `found ${findSession(wanted, among).id}`
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'usage') return cause.message
    throw cause
  }
}

describe('a session is found', () => {
  test.each([
    ['by its id', tulips.id, tulips],
    ['by its name, in any case', 'rOSES', roses],
    ['by its title', 'plant roses now', untitled],
    ['by the beginning of its id', '3f2a92', tulips],
    ['by the beginning of its name', 'Tul', tulips],
    ['by the beginning of its title', 'Plant', untitled],
  ])('%s', (_, wanted, expected) => {
    expect(findSession(wanted, all)).toBe(expected)
  })

  test('by its name before the beginning of another id', () => {
    expect(findSession('3f2a91c0', [...all, odd])).toBe(odd)
  })
})

test('what fits several sessions names them, the latest first, and decides nothing', () => {
  const [head, ...rows] = problemOf('3f2a').split('\n')
  expect(head).toBe('"3f2a" matches 2 sessions. Use more of the id:')
  expect(rows.map((row) => row.trim().split(/ {2,}/)[0])).toEqual([roses.id, tulips.id])
  const twins = Array.from({ length: 7 }, (_, index) => session(`s${index}`, { name: 'Twin' }))
  expect(problemOf('twin', twins)).toContain('\n  and 2 more')
})

test.each(['3f2', 'Tu', 'Daisies', ''])('%j finds nothing', (wanted) => {
  expect(problemOf(wanted)).toBe(
    `Session ${wanted} does not exist. List the stored sessions with: sluice sessions`,
  )
})

test('a name cannot bring control characters into the list', () => {
  const hostile = [1, 2].map((id) => session(`h${id}`, { name: 'Evil\u001b[2J\nname' }))
  expect(problemOf('evil', hostile)).not.toContain('\u001b')
})

test('a short id is enough to find the session again', () => {
  expect(shortId(roses.id)).toBe('3f2a91c0')
  expect(findSession(shortId(roses.id), all)).toBe(roses)
  expect(shortId('a')).toBe('a')
})
