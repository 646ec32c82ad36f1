import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { describeWithNats } from '../support/describe-with-nats.ts'
import {
  createStoreRig,
  line,
  mainPath,
  nativeId,
  type StoreRig,
  sessionId,
  sidePath,
  temporaryDirectory,
} from './store-rig.ts'

describeWithNats('restoring conversations', (nats) => {
  let rig: StoreRig
  beforeEach(async () => {
    rig = await createStoreRig(nats)
  })

  test('a damaged or missing object changes no file', async () => {
    rig.write(rig.one, mainPath, line('first'))
    rig.write(rig.one, sidePath, line('side'))
    await rig.store()
    rig.write(rig.two, mainPath, line('here before'))
    const stored = await rig.log.history.get(sessionId)
    const [object = ''] = stored?.files[1]?.pieces.map((piece) => piece.object) ?? []
    await rig.log.history.putObject(object, Buffer.from('something else'))
    await expect(rig.restore()).rejects.toMatchObject({
      ...{ code: 'history_not_restored', message: 'What is stored is damaged' },
    })
    await rig.log.history.removeObject(sessionId, object)
    await expect(rig.restore()).rejects.toMatchObject({ message: 'A part of it is missing' })
    expect(readdirSync(join(rig.two, '-work')).filter((name) => name.includes('.'))).toEqual([
      `${nativeId}.jsonl`,
    ])
    expect(rig.read(rig.two, mainPath)).toBe(line('here before'))
  })

  const hostile = [
    '../../x.jsonl',
    `../${nativeId}.jsonl`,
    `-work/../${nativeId}.jsonl`,
    `/-work/${nativeId}.jsonl`,
    `..\\${nativeId}.jsonl`,
    '-work/other.jsonl',
    `-work/${nativeId}/subagents/../../../agent-x.jsonl`,
    `-work/${nativeId}/subagents/agent-x.jsonl/../../../y.jsonl`,
    `-work/${nativeId}/settings.json`,
    `-work/${nativeId}/subagents/agent-\0.jsonl`,
  ]
  test.each(hostile)('the name %j in the store is refused', async (path) => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    const { files = [] } = (await rig.log.history.get(sessionId)) ?? {}
    const [main] = files
    if (!main) throw new Error('Nothing is stored.')
    const before = readdirSync(dirname(rig.two))
    const other = { ...main, path }
    await expect(rig.restore({ changed: { files: [other] } })).rejects.toMatchObject({
      message: expect.stringContaining('damaged'),
    })
    await expect(rig.restore({ changed: { files: [main, other] } })).rejects.toMatchObject({
      message: expect.stringContaining('damaged'),
    })
    expect(readdirSync(rig.two)).toEqual([])
    expect(readdirSync(dirname(rig.two))).toEqual(before)
  })

  test('sizes that are not those of the content are refused', async () => {
    rig.write(rig.one, mainPath, line('x'.repeat(5000)))
    await rig.store()
    const { files = [] } = (await rig.log.history.get(sessionId)) ?? {}
    const [main] = files
    const [piece] = main?.pieces ?? []
    if (!main || !piece) throw new Error('Nothing is stored.')
    const small = { ...main, bytes: 10, pieces: [{ ...piece, bytes: 10 }] }
    await expect(rig.restore({ changed: { files: [small] } })).rejects.toMatchObject({
      message: expect.stringContaining('damaged'),
    })
    const large = { ...main, bytes: 2 ** 40, pieces: [{ ...piece, bytes: 2 ** 40 }] }
    await expect(rig.restore({ changed: { files: [large] } })).rejects.toMatchObject({
      message: expect.stringContaining('damaged'),
    })
  })

  test('no link is followed', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    const outside = temporaryDirectory()
    symlinkSync(outside, join(rig.two, '-work'))
    await expect(rig.restore()).rejects.toMatchObject({ code: 'history_not_restored' })
    expect(readdirSync(outside)).toEqual([])
    rmSync(join(rig.two, '-work'))
    writeFileSync(join(outside, 'target'), 'untouched')
    mkdirSync(join(rig.two, '-work'))
    symlinkSync(join(outside, 'target'), join(rig.two, mainPath))
    await expect(rig.restore()).rejects.toMatchObject({ code: 'history_not_restored' })
    expect(lstatSync(join(rig.two, mainPath)).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('untouched')
    // Nor is one stored.
    rmSync(join(rig.one, mainPath))
    symlinkSync(join(outside, 'target'), join(rig.one, mainPath))
    expect(await rig.store()).toBe('none')
  })

  test('a file that is here and goes on stays; one that differs is kept aside', async () => {
    rig.write(rig.one, mainPath, line('first') + line('second'))
    await rig.store()
    const longer = line('first') + line('second') + line('third')
    rig.write(rig.two, mainPath, longer)
    expect(await rig.restore()).toBe('current')
    expect(rig.read(rig.two, mainPath)).toBe(longer)
    rig.write(rig.two, mainPath, line('first'))
    expect(await rig.restore()).toBe('restored')
    expect(rig.read(rig.two, mainPath)).toBe(line('first') + line('second'))
    for (const content of [line('first') + line('alone'), line('a') + line('b') + line('c')]) {
      rig.write(rig.two, mainPath, content)
      // This node has stored it, and its file was changed since then.
      expect(await rig.restore({ isOwn: true })).toBe('current')
      expect(await rig.restore()).toBe('restored')
      expect(rig.read(rig.two, mainPath)).toBe(line('first') + line('second'))
    }
    const kept = readdirSync(join(rig.two, '-work')).filter((name) => name.endsWith('.kept'))
    expect(kept.map((name) => rig.read(rig.two, `-work/${name}`)).toSorted()).toEqual(
      [line('first') + line('alone'), line('a') + line('b') + line('c')].toSorted(),
    )
  })

  test.each([
    ['goes on', line('first')],
    ['begins', undefined],
  ])('a file that %s here while the stored one arrives is not replaced', async (_, before) => {
    rig.write(rig.one, mainPath, line('first') + line('second'))
    rig.write(rig.one, sidePath, line('side'))
    await rig.store()
    if (before !== undefined) rig.write(rig.two, mainPath, before)
    const written = (before ?? '') + line('written in a terminal')
    const { getObject } = rig.log.history
    vi.spyOn(rig.log.history, 'getObject').mockImplementation((...wanted) => {
      rig.write(rig.two, mainPath, written)
      return getObject(...wanted)
    })
    await expect(rig.restore()).rejects.toMatchObject({
      ...{ code: 'history_not_restored', message: expect.stringContaining('has changed') },
    })
    expect(rig.read(rig.two, mainPath)).toBe(written)
    expect(existsSync(join(rig.two, sidePath))).toBe(false)
    expect(readdirSync(join(rig.two, '-work'))).toEqual([nativeId, `${nativeId}.jsonl`])
  })

  test('what a restore has left whose process was killed is deleted later', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    const leftover = (number: number) => `-work/.sluice-${nativeId.slice(0, -1)}${number}.tmp`
    const names = [leftover(1), leftover(2), '-work/.sluice-of-mine.tmp']
    for (const name of names) rig.write(rig.two, name, 'half')
    const yesterday = new Date(Date.now() - 86_400_000)
    for (const name of [leftover(1), '-work/.sluice-of-mine.tmp'])
      utimesSync(join(rig.two, name), yesterday, yesterday)
    expect(await rig.restore()).toBe('restored')
    expect(names.filter((name) => existsSync(join(rig.two, name)))).toEqual(names.slice(1))
  })

  test('a directory with the name of such a file does not prevent a restore', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    const path = join(rig.two, '-work', `.sluice-${nativeId}.tmp`)
    mkdirSync(path, { recursive: true })
    utimesSync(path, 0, 0)
    expect(await rig.restore()).toBe('restored')
    expect(existsSync(path)).toBe(true)
  })

  test('where the project has another path, the conversation is where the agent looks', async () => {
    rig.write(rig.one, mainPath, line('first'))
    await rig.store()
    await rig.restore({ cwd: '/srv/my work' })
    expect(rig.read(rig.two, `-srv-my-work/${nativeId}.jsonl`)).toBe(line('first'))
  })
})
