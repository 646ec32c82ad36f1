import { expect, test } from 'vitest'
import { usedModels } from '../../src/http/used-models.ts'
import { openMemoryLog } from '../../src/log/index.ts'
import { session } from '../log/samples.ts'

const logWith = async (...sessions: [agent: string, model?: string][]) => {
  const log = await openMemoryLog()
  for (const [index, [agent, model]] of sessions.entries()) {
    const more = { agent, createdAt: index, ...(model !== undefined && { model }) }
    await log.sessions.create(session(`s${index}`, more))
  }
  return log
}

test('lists the models that sessions of the agent have used, each once, newest first', async () => {
  const log = await logWith(
    ['pi', 'a'],
    ['pi', 'b'],
    ['pi'],
    ['pi', 'unknown'],
    ['claude', 'c'],
    ['pi', 'a'],
  )
  expect(await usedModels(log, 'pi')).toEqual(['a', 'b'])
  expect(await usedModels(log, 'claude')).toEqual(['c'])
  expect(await usedModels(log, 'demo')).toEqual([])
})

test('lists at most 20 models, without those of removed sessions', async () => {
  const models = Array.from({ length: 25 }, (_, index): [string, string] => ['pi', `m${index}`])
  const log = await logWith(...models)
  await log.sessions.update('s24', { removedAt: 1 })
  expect(await usedModels(log, 'pi')).toEqual(
    Array.from({ length: 20 }, (_, index) => `m${23 - index}`),
  )
})
