import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createNodeHistory, type NodeHistory } from '../../src/history/node-history.ts'
import { LogFault } from '../../src/log/log-fault.ts'
import type { HistoryStore } from '../../src/log/stored-history.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'
import {
  createStoreRig,
  line,
  mainPath,
  type StoreRig,
  sessionId,
  temporaryDirectory,
} from './store-rig.ts'

describeWithNats('conversations of a node', (nats) => {
  let rig: StoreRig
  let config: string
  beforeEach(async () => {
    rig = await createStoreRig(nats)
    config = temporaryDirectory()
  })

  /** The second node, whose claim is the later one. */
  const openHistory = (store: HistoryStore = rig.log.history): NodeHistory => {
    const history = createNodeHistory({
      ...{ store, log: rig.log, ownership: { termOf: () => 2 }, node: 'two' },
      ...{ env: { CLAUDE_CONFIG_DIR: config }, everyMs: 1, onError: () => {} },
    })
    onTestFinished(history.close)
    return history
  }
  const record = async () => {
    const found = await rig.log.sessions.get(sessionId)
    if (!found) throw new Error('There is no session.')
    return found
  }

  test('an older file is not stored while what is stored arrives', async () => {
    const whole = Array.from({ length: 5000 }, (_, at) => line(`${at}`)).join('')
    rig.write(rig.one, mainPath, whole)
    await rig.store()
    rig.write(config, `projects/${mainPath}`, line('0') + line('alone'))
    let puts = 0
    const { getObject, put } = rig.log.history
    const history = openHistory({
      ...rig.log.history,
      // Slow enough for what runs every millisecond.
      async getObject(...wanted) {
        for (let times = 0; times < 50; times += 1) await getObject(...wanted)
        return getObject(...wanted)
      },
      async put(...stored) {
        puts += 1
        return put(...stored)
      },
    })
    const arrival = await history.arrive(await record(), 'one')
    expect(puts).toBe(0)
    expect(arrival).toEqual({ outcome: 'restored', node: 'one' })
    expect(rig.read(config, `projects/${mainPath}`)).toBe(whole)
    await history.leave(sessionId, 'stopped')
    expect((await rig.stored()).files[0]?.bytes).toBe(whole.length)
  })

  test('without an answer of NATS, the session is not loaded with an older file', async () => {
    rig.write(rig.one, mainPath, line('first') + line('second'))
    await rig.store()
    rig.write(config, `projects/${mainPath}`, line('first'))
    const history = openHistory()
    const arriving = record()
    await rig.log.close()
    await expect(history.arrive(await arriving, 'one')).rejects.toBeInstanceOf(LogFault)
    expect(rig.read(config, `projects/${mainPath}`)).toBe(line('first'))
  })
})
