import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findConversation } from '../../src/history/find-conversation.ts'
import { historyLayouts } from '../../src/history/layouts.ts'
import { temporaryDirectory } from './store-rig.ts'

const idOf = (name: string): string => `0e6b4a52-2c6e-4f0e-9d55-${name.padStart(12, '0')}`
const pathOf = (name: string): string =>
  `2026/10/01/rollout-2026-10-01T00-00-00-${idOf(name)}.jsonl`

/** The files that a conversation of Codex goes on from, where each names the next one. */
const basesFor = async (chain: readonly { name: string; base?: string; bytes?: unknown }[]) => {
  const root = temporaryDirectory()
  for (const { name, base, bytes = 10 } of chain) {
    const history_base = base && { thread_id: idOf(base), end_byte_offset: bytes }
    mkdirSync(dirname(join(root, pathOf(name))), { recursive: true })
    writeFileSync(join(root, pathOf(name)), `${JSON.stringify({ payload: { history_base } })}\n`)
  }
  const { codex } = historyLayouts
  const nativeId = idOf(chain[0]?.name ?? '')
  const found = codex && (await findConversation(codex, { root, nativeId, cwd: '/work' }))
  return found?.bases.map(({ path }) => path)
}

test('forks that name each other as what they go on from have each file once', async () => {
  const chain = [
    { name: 'a', base: 'b' },
    { name: 'b', base: 'c' },
    { name: 'c', base: 'a' },
  ]
  expect(await basesFor(chain)).toEqual([pathOf('b'), pathOf('c')])
  expect(await basesFor([{ name: 'a', base: 'a' }])).toEqual([])
})

test.each([-1, 0.5, 2 ** 60, '10'])('a fork of the first %s bytes is none', async (bytes) => {
  expect(await basesFor([{ name: 'a', base: 'b', bytes }, { name: 'b' }])).toEqual([])
})
