import { expect, test } from 'vitest'
import { openServerFeed } from '../../../src/cli/remote/server-feed.ts'
import { createClient } from '../../../src/client/client.ts'
import { sluice } from '../../support/sluice.ts'

test('a feed without a server says so once, and gives up in time', async () => {
  const notices: string[] = []
  const feed = openServerFeed(createClient({ url: 'http://127.0.0.1:9/' }), 's', {
    after: 0,
    giveUpMs: 50,
    onEvent() {},
    onSnapshot() {},
    notice: (text) => void notices.push(text),
  })
  await expect(feed.ended).rejects.toMatchObject({ code: 'not_listening' })
  expect(notices).toEqual(['The connection to the server is lost. Trying again…'])
  await feed.reached(99) // who waits is released
})

test('a key over plain HTTP to another machine is warned about', async () => {
  const { code, stderr } = await sluice(['abort', 'x', '--url', 'http://sluice.invalid/'])
  expect(code).toBe(1)
  expect(stderr).toBe(
    'sluice: the connection to sluice.invalid is not encrypted. Everybody in between can read the key.\n' +
      'sluice: Cannot reach a server at http://sluice.invalid/.\n',
  )
})
