import { describe, expect, test } from 'vitest'
import type { SessionLifecycleEvent } from '../../../src/session/registry/sessions.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'

/** Sessions of the demo, with what is told of their titles. */
const open = async (directory = dataDirectory()) => {
  const told: (string | undefined)[] = []
  const onSession = (news: SessionLifecycleEvent) => {
    if (news.type !== 'session_removed' && news.session.title !== told.at(-1))
      told.push(news.session.title)
  }
  return { ...(await openDemoSessions({ directory, onSession })), told }
}

describe('a session is titled', () => {
  test('after its first prompt, and no other; that is stored and told', async () => {
    const directory = dataDirectory()
    const first = await open(directory)
    const { record, session } = await first.begin()
    expect(record).not.toHaveProperty('title')
    await session.prompt('think of roses\nand of thorns')
    await session.idle()
    await session.prompt('think of tulips')
    await session.idle()
    expect(await first.log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    expect(first.told).toEqual(['think of roses'])
    await first.close()

    const second = await open(directory)
    const again = await second.get(record.id)
    await again?.prompt('think of lilies')
    await again?.idle()
    expect(await second.log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    await second.close()
  })

  test('by what begins its first run, also where that is called a steer or a follow-up', async () => {
    const { begin, log, close } = await open()
    for (const how of ['steer', 'followUp'] as const) {
      const { record, session } = await begin()
      await session[how]('think of roses')
      await session.idle()
      expect(await log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    }
    await close()
  })

  test('beside its name, which stays as it is; without one, the title is left', async () => {
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

  test('also when it was renamed and left the memory before its first prompt', async () => {
    const directory = dataDirectory()
    const first = await open(directory)
    const { record, session } = await first.begin()
    await session.rename('Garden')
    await first.close()

    const { get, log, close } = await open(directory)
    const again = await get(record.id)
    await again?.prompt('think of roses')
    await again?.idle()
    expect(await log.sessions.get(record.id)).toMatchObject({ title: 'think of roses' })
    await close()
  })

  test('not by a prompt that the agent did not take', async () => {
    const directory = dataDirectory()
    const first = await openDemoSessions({ directory, maxAgents: 0 })
    const { record, session } = await first.begin()
    expect(await session.prompt('think of roses')).toMatchObject({ outcome: 'failed' })
    expect(await first.log.sessions.get(record.id)).not.toHaveProperty('title')
    await first.close()
  })

  test('not by an image without words, nor by what is said behind it', async () => {
    const { begin, log, close } = await open()
    const { record, session } = await begin()
    await session.prompt('', [{ data: 'AAAA', mimeType: 'image/png' }])
    await session.idle()
    await session.prompt('think of roses')
    await session.idle()
    expect(await log.sessions.get(record.id)).not.toHaveProperty('title')
    await close()
  })

  test('not by a later prompt, where an older Sluice gave it none', async () => {
    const directory = dataDirectory()
    const first = await open(directory)
    const { record, session } = await first.begin()
    await session.prompt('think of roses')
    await session.idle()
    await first.log.sessions.update(record.id, { title: null })
    await first.close()

    const { get, log, told, close } = await open(directory)
    const again = await get(record.id)
    await again?.prompt('think of tulips')
    await again?.idle()
    expect(await log.sessions.get(record.id)).not.toHaveProperty('title')
    expect(told).toEqual([])
    await close()
  })
})
