import { describe, expect, test } from 'vitest'
import type { SessionLifecycleEvent } from '../../../src/session/registry/sessions.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'

/** Sessions of the demo agent, with the titles that are reported. */
const open = async (directory = dataDirectory()) => {
  const titles: (string | undefined)[] = []
  const onSession = (event: SessionLifecycleEvent) => {
    if (event.type !== 'session_removed' && event.session.title !== titles.at(-1))
      titles.push(event.session.title)
  }
  return { ...(await openDemoSessions({ directory, onSession })), titles }
}

describe('a session gets its title', () => {
  test('from its first prompt only, which is stored and reported', async () => {
    const directory = dataDirectory()
    const first = await open(directory)
    const { record, session } = await first.createDemoSession()
    expect(record).not.toHaveProperty('title')
    await session.prompt('think of roses\nand of thorns')
    await session.idle()
    await session.prompt('think of tulips')
    await session.idle()
    expect(await first.log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    expect(first.titles).toEqual(['think of roses'])
    await first.close()

    const second = await open(directory)
    const again = await second.get(record.id)
    await again?.prompt('think of lilies')
    await again?.idle()
    expect(await second.log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    await second.close()
  })

  test('also from a steer or a follow-up that starts its first run', async () => {
    const { createDemoSession, log, close } = await open()
    for (const how of ['steer', 'followUp'] as const) {
      const { record, session } = await createDemoSession()
      await session[how]('think of roses')
      await session.idle()
      expect(await log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    }
    await close()
  })

  test('in addition to its name, and keeps it when the name is removed', async () => {
    const { create, log, close } = await open()
    const { record, session } = await create({ agent: 'demo', cwd: '/', name: 'Garden' })
    await session.prompt('think of roses')
    await session.idle()
    const title = 'think of roses'
    expect(await log.sessions.get(record.id)).toMatchObject({ name: 'Garden', title })
    await session.rename('')
    await session.stop()
    expect(await log.sessions.get(record.id)).toMatchObject({ title })
    expect(await log.sessions.get(record.id)).not.toHaveProperty('name')
    await close()
  })

  test('also if it was renamed and unloaded before its first prompt', async () => {
    const directory = dataDirectory()
    const first = await open(directory)
    const { record, session } = await first.createDemoSession()
    await session.rename('Garden')
    await first.close()

    const { get, log, close } = await open(directory)
    const again = await get(record.id)
    await again?.prompt('think of roses')
    await again?.idle()
    expect(await log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    await close()
  })

  test('not from a prompt that the agent did not accept', async () => {
    const directory = dataDirectory()
    const first = await openDemoSessions({ directory, maxAgents: 0 })
    const { record, session } = await first.createDemoSession()
    expect(await session.prompt('think of roses')).toMatchObject({ outcome: 'failed' })
    expect(await first.log.sessions.get(record.id)).not.toHaveProperty('title')
    await first.close()
  })

  test('not from a prompt without text, nor from a later one', async () => {
    const { createDemoSession, log, close } = await open()
    const { record, session } = await createDemoSession()
    await session.prompt('', { images: [{ data: 'AAAA', mimeType: 'image/png' }] })
    await session.idle()
    await session.prompt('think of roses')
    await session.idle()
    expect(await log.sessions.get(record.id)).not.toHaveProperty('title')
    await close()
  })

  test('not from a later prompt, if an older Sluice stored none', async () => {
    const directory = dataDirectory()
    const first = await open(directory)
    const { record, session } = await first.createDemoSession()
    await session.prompt('think of roses')
    await session.idle()
    await first.log.sessions.update(record.id, { title: null })
    await first.close()

    const { get, log, titles, close } = await open(directory)
    const again = await get(record.id)
    await again?.prompt('think of tulips')
    await again?.idle()
    expect(await log.sessions.get(record.id)).not.toHaveProperty('title')
    expect(titles).toEqual([])
    await close()
  })
})
