import { expect, test } from 'vitest'
import type { Log } from '../../src/log/index.ts'
import { command, session } from './samples.ts'

/** What every log promises about commands and their receipts. */
export const commandsContract = (openLog: () => Promise<Log>): void => {
  const openWithSessions = async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.sessions.create(session('b'))
    return log
  }
  const key = (letter: string) => ({ key: letter.repeat(64), hash: '0'.repeat(64) })

  test('open commands are listed by session, in the order in which they were added', async () => {
    const { commands } = await openWithSessions()
    const by = { kind: 'key', id: 'k1', name: 'ci', address: '127.0.0.1' } as const
    const images = [{ data: 'AAAA', mimeType: 'image/png' }]
    const first = command('c2', 'a', { by, images, kind: 'steer', receipt: key('a') })
    await Promise.all([
      commands.add(first),
      commands.add(command('c1', 'a', { state: 'queued' })),
      commands.add(command('c3', 'b')),
    ])
    expect(await commands.list('a')).toEqual([first, command('c1', 'a', { state: 'queued' })])
    expect((await commands.list('b')).map(({ id }) => id)).toEqual(['c3'])
    expect(await commands.list('c')).toEqual([])
    expect((await commands.openSessions()).sort()).toEqual(['a', 'b'])
  })

  test('a command is added once, to a session that exists', async () => {
    const { commands } = await openWithSessions()
    await commands.add(command('c1', 'a', { receipt: key('a') }))
    const again = { code: 'command_exists' }
    await expect(commands.add(command('c1', 'b'))).rejects.toMatchObject(again)
    const sameKey = command('c2', 'b', { receipt: key('a') })
    await expect(commands.add(sameKey)).rejects.toMatchObject(again)
    await expect(commands.add(command('c2', 'c'))).rejects.toMatchObject({
      code: 'unknown_session',
    })
    const invalid = command('c2', 'a', { kind: 'shout' as 'steer' })
    await expect(commands.add(invalid)).rejects.toMatchObject({ code: 'invalid_record' })
    expect((await commands.list('a')).map(({ id }) => id)).toEqual(['c1'])
  })

  test('a command moves between queued and sent, and its receipt with it', async () => {
    const { commands } = await openWithSessions()
    await commands.add(command('c1', 'a', { state: 'queued', receipt: key('a'), seq: 7 }))
    const receipt = { sessionId: 'a', hash: '0'.repeat(64), seq: 7 }
    expect(await commands.receipt(key('a').key)).toEqual({ ...receipt, state: 'queued' })
    await commands.setState(['c1', 'unknown'], 'sent')
    expect(await commands.receipt(key('a').key)).toEqual({ ...receipt, state: 'sent' })
    expect(await commands.list('a')).toEqual([
      command('c1', 'a', { state: 'sent', receipt: key('a'), seq: 7 }),
    ])
  })

  test('the text of an open command can be replaced', async () => {
    const { commands } = await openWithSessions()
    const images = [{ data: 'AAAA', mimeType: 'image/png' }]
    await commands.add(command('c1', 'a', { state: 'queued', images, text: 'before' }))
    await commands.add(command('c2', 'a', { state: 'queued', text: 'other' }))
    await commands.setText('c1', 'after')
    await commands.setText('unknown', 'nothing')
    expect(await commands.list('a')).toEqual([
      command('c1', 'a', { state: 'queued', images, text: 'after' }),
      command('c2', 'a', { state: 'queued', text: 'other' }),
    ])
    await commands.close(['c2'], 'removed')
    await commands.setText('c2', 'too late')
    expect((await commands.list('a')).map(({ id }) => id)).toEqual(['c1'])
  })

  test('a closed command is gone, and leaves a receipt if it had a key', async () => {
    const { commands } = await openWithSessions()
    await commands.add(command('c1', 'a', { receipt: key('a') }))
    await commands.add(command('c2', 'a'))
    await commands.close(['c1', 'c2'], 'interrupted')
    // A closed command stays closed.
    await commands.setState(['c1'], 'queued')
    await commands.close(['c1'], 'accepted')
    await commands.remove(['c1'])
    expect(await commands.list('a')).toEqual([])
    expect(await commands.openSessions()).toEqual([])
    expect(await commands.receipt(key('a').key)).toMatchObject({ state: 'interrupted' })
    await commands.add(command('c2', 'a'))
  })

  test('the key of a command that was refused can be used again', async () => {
    const { commands } = await openWithSessions()
    await commands.add(command('c1', 'a', { receipt: key('a') }))
    await commands.remove(['c1'])
    expect(await commands.receipt(key('a').key)).toBeUndefined()
    await commands.add(command('c2', 'a', { receipt: key('a') }))
  })

  test('old receipts are pruned, but no open command', async () => {
    const { commands } = await openWithSessions()
    const letters = ['a', 'b', 'c', 'd', 'e']
    for (const [index, letter] of letters.entries())
      await commands.add(command(letter, 'a', { receipt: key(letter), createdAt: index }))
    await commands.close(['b', 'c', 'd', 'e'], 'accepted')
    const kept = async () => {
      const found = await Promise.all(letters.map((letter) => commands.receipt(key(letter).key)))
      return letters.filter((_, index) => found[index]).join('')
    }
    await commands.prune(2, 10)
    expect(await kept()).toBe('acde')
    await commands.prune(0, 2)
    expect(await kept()).toBe('ade')
    await commands.prune(100, 0)
    expect(await kept()).toBe('a')
  })

  test('removing a session removes its commands and their receipts', async () => {
    const log = await openWithSessions()
    await log.commands.add(command('c1', 'a', { receipt: key('a') }))
    await log.commands.add(command('c2', 'a', { receipt: key('b') }))
    await log.commands.close(['c2'], 'accepted')
    await log.sessions.remove('a')
    await log.sessions.create(session('a'))
    expect(await log.commands.list('a')).toEqual([])
    expect(await log.commands.receipt(key('a').key)).toBeUndefined()
    expect(await log.commands.receipt(key('b').key)).toBeUndefined()
  })
}
