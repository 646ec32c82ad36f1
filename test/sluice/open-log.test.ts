import { createHook } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { openLog } from '../../src/sluice/open-log.ts'
import { events, session, temporaryDirectory } from '../log/samples.ts'

test.each([
  [undefined, 1],
  ['full', 1],
  ['normal', 0],
] as const)('durability %s flushes each batch %i times', async (durability, times) => {
  const log = await openLog(temporaryDirectory('durability'), { durability })
  await log.sessions.create(session('a'))
  await log.checkStatus() // makes the reserve, which is not counted
  let flushes = 0
  const watch = createHook({
    init: (_id, type) => void (type === 'FSREQCALLBACK' && flushes++),
  }).enable()
  await log.append('a', events('a', 1, 5))
  watch.disable()
  expect(flushes).toBe(times)
  await log.close()
})
