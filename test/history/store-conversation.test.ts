import { randomBytes } from 'node:crypto'
import { appendFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DiscardPolicy } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { beforeEach, expect, test, vi } from 'vitest'
import { recordKeys } from '../../src/log/jetstream/record-keys.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'
import {
  createStoreRig,
  line,
  mainPath,
  nativeId,
  type StoreRig,
  sessionId,
  sidePath,
} from './store-rig.ts'

describeWithNats('storing conversations', (nats) => {
  let rig: StoreRig
  beforeEach(async () => {
    rig = await createStoreRig(nats)
  })

  test('the files of one conversation are restored, and nothing else', async () => {
    rig.write(rig.one, mainPath, line('hello'))
    rig.write(rig.one, sidePath, line('from a subagent'))
    for (const path of ['-work/other.jsonl', `-work/${nativeId}/key.pem`, '-work/memory/a.md'])
      rig.write(rig.one, path, 'not of this conversation')
    expect(await rig.store()).toBe('stored')
    expect(await rig.restore()).toBe('restored')
    expect(
      readdirSync(rig.two, { recursive: true }).filter((path) => /\.\w+$/.test(`${path}`)),
    ).toEqual([mainPath, sidePath])
    expect(rig.read(rig.two, mainPath)).toBe(line('hello'))
    expect(statSync(join(rig.two, mainPath)).mode & 0o777).toBe(0o600)
    expect(statSync(join(rig.two, '-work')).mode & 0o777).toBe(0o700)
    expect(await rig.restore()).toBe('current')
  })

  test('of a file that grows, only what is new is stored, in whole lines', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    appendFileSync(join(rig.one, mainPath), `${line('second')}{"text":"torn`)
    expect(await rig.store()).toBe('stored')
    expect(await rig.store()).toBe('unchanged')
    const stored = await rig.log.history.get(sessionId)
    expect(stored?.files[0]?.pieces.map(({ bytes }) => bytes)).toEqual([
      line('first').length,
      line('second').length,
    ])
    await rig.restore()
    expect(rig.read(rig.two, mainPath)).toBe(line('first') + line('second'))
  })

  test('a file in many pieces is stored anew, and nothing is left behind', async () => {
    rig.write(rig.one, mainPath, '')
    for (let count = 0; count < 70; count += 1) {
      appendFileSync(join(rig.one, mainPath), line(`${count}`))
      await rig.store()
    }
    const stored = await rig.log.history.get(sessionId)
    expect(stored?.files[0]?.pieces.length).toBeLessThan(10)
    expect(await rig.objectNames()).toEqual(await rig.namedObjects())
    await rig.restore()
    expect(rig.read(rig.two, mainPath)).toBe(rig.read(rig.one, mainPath))
  })

  test('a file that was rewritten is stored anew', async () => {
    rig.write(rig.one, mainPath, line('first') + line('second'))
    await rig.store()
    rig.write(rig.one, mainPath, line('other'))
    expect(await rig.store()).toBe('stored')
    await rig.restore()
    expect(rig.read(rig.two, mainPath)).toBe(line('other'))
    expect(await rig.objectNames()).toEqual(await rig.namedObjects())
  })

  test('a former owner cannot overwrite what a later one has', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store({ term: 5 })
    await rig.log.history.begin(sessionId, 9)
    appendFileSync(join(rig.one, mainPath), line('too late'))
    await expect(rig.store({ term: 5 })).rejects.toMatchObject({ code: 'fenced' })
    await expect(rig.log.history.begin(sessionId, 5)).rejects.toMatchObject({ code: 'fenced' })
    await rig.restore()
    expect(rig.read(rig.two, mainPath)).toBe(line('first'))
  })

  test('a former owner cannot store the first state either', async () => {
    rig.write(rig.one, mainPath, line('first'))
    expect(await rig.log.history.begin(sessionId, 9)).toMatchObject({ node: '', files: [] })
    await expect(rig.store({ term: 5 })).rejects.toMatchObject({ code: 'fenced' })
    expect(await rig.store({ term: 9 })).toBe('stored')
    expect(await rig.objectNames()).toEqual(await rig.namedObjects())
  })

  test('a conversation that is too large is not stored any more', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    appendFileSync(join(rig.one, mainPath), line('x'.repeat(2000)))
    expect(await rig.store({ maxBytes: 1000 })).toBe('too_large')
    expect(await rig.log.history.get(sessionId)).toMatchObject({ state: 'too_large', files: [] })
    expect(await rig.objectNames()).toEqual([])
  })

  test('a tenant that is full keeps the earlier state, and goes on when there is space', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    const { manager } = rig.log.link
    const stream = `OBJ_${rig.log.names.objectBucket}`
    const { config, state } = await manager.streams.info(stream)
    const limit = { max_bytes: state.bytes + 2000, discard: DiscardPolicy.New }
    await manager.streams.update(stream, { ...config, ...limit })
    appendFileSync(join(rig.one, mainPath), line(randomBytes(100_000).toString('hex')))
    for (let tries = 0; tries < 5; tries += 1)
      await expect(rig.store()).rejects.toMatchObject({ code: 'disk_full' })
    expect((await rig.stored()).unused.length).toBeLessThan(3)
    await rig.restore()
    expect(rig.read(rig.two, mainPath)).toBe(line('first'))
    await manager.streams.update(stream, { ...config, max_bytes: -1 })
    expect(await rig.store()).toBe('stored')
    expect(await rig.objectNames()).toEqual(await rig.namedObjects())
    await rig.restore()
    expect(rig.read(rig.two, mainPath)).toBe(rig.read(rig.one, mainPath))
  })

  test('a deleted session leaves nothing behind', async () => {
    rig.write(rig.one, mainPath, line('first'))
    rig.write(rig.one, sidePath, line('side'))
    await rig.store()
    expect(await rig.objectNames()).toHaveLength(2)
    await rig.log.sessions.remove(sessionId)
    expect(await rig.objectNames()).toEqual([])
    expect(await rig.log.history.get(sessionId)).toBeUndefined()
    appendFileSync(join(rig.one, mainPath), line('late'))
    await expect(rig.store({ term: 2 })).rejects.toMatchObject({ code: 'unknown_session' })
    expect(await rig.objectNames()).toEqual([])
  })

  const removeHistory = async (): Promise<void> => {
    for (const name of await rig.namedObjects()) await rig.log.history.removeObject(sessionId, name)
    const bucket = await new Kvm(rig.log.link.client).open(rig.log.names.recordBucket)
    await bucket.delete(recordKeys.history(sessionId))
  }

  test.each([
    ['here', (): Promise<void> => rig.log.sessions.remove(sessionId)],
    // The record of the session is still known here.
    ['by another node', (): Promise<void> => removeHistory()],
  ])('a session that is deleted %s while it is stored leaves nothing behind', async (_, remove) => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    appendFileSync(join(rig.one, mainPath), line('late'))
    const { putObject } = rig.log.history
    vi.spyOn(rig.log.history, 'putObject').mockImplementationOnce(async (...object) => {
      await remove()
      await putObject(...object)
    })
    await expect(rig.store()).rejects.toMatchObject({ code: 'unknown_session' })
    expect(await rig.objectNames()).toEqual([])
    expect(await rig.log.history.get(sessionId)).toBeUndefined()
  })

  test('a server that ends while files are stored leaves the earlier state, or the new one', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    const [server] = nats.servers
    const large = Array.from({ length: 300_000 }, (_, at) => line(`${at} ${Math.random()}`)).join(
      '',
    )
    appendFileSync(join(rig.one, mainPath), large)
    const storing = rig.store().catch((cause: unknown) => cause)
    await expect.poll(async () => rig.known.stored?.unused.length ?? 0).toBeGreaterThan(0)
    await server?.signal('SIGKILL')
    await server?.restart()
    await storing
    await expect.poll(() => rig.restore(), { timeout: 20_000 }).toMatch(/restored|current/)
    expect([line('first'), line('first') + large]).toContain(rig.read(rig.two, mainPath))
    await expect.poll(() => rig.store(), { timeout: 20_000 }).toMatch(/stored|unchanged/)
    await rig.restore()
    expect(rig.read(rig.two, mainPath)).toBe(line('first') + large)
    expect(await rig.objectNames()).toEqual(await rig.namedObjects())
  })
})
