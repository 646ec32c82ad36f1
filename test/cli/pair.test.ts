import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pairingText } from '../../src/cli/pair.ts'
import { createClient } from '../../src/client/client.ts'
import { pairingLinks } from '../../src/http/pairing-links.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { root, sluice } from '../support/sluice.ts'

const start = async (...args: string[]) => {
  const directories = createServerDirectories()
  const server = await startServerProcess(directories, { args })
  onTestFinished(async () => {
    await server.stop()
    directories.remove()
  })
  return { ...server, data: directories.data }
}

test('pair prints a link for the running server; browsers lists and signs out', async () => {
  const { data, url, client } = await start()
  const { code, stdout } = await sluice(['pair', '--data', data])
  expect(code).toBe(0)
  const [, link = ''] = /^ {2}(http\S+)$/m.exec(stdout) ?? []
  expect(link).toMatch(new RegExp(`^${url}/pair#pair_`))
  expect((await sluice(['browsers', 'list', '--data', data])).stdout).toMatch(/^No browser/)
  const { browser } = await createClient({ url }).auth.pair({
    code: link.split('#')[1] ?? '',
    name: 'Phone',
  })
  const listed = await sluice(['browsers', 'list', '--data', data])
  expect(listed.stdout).toMatch(new RegExp(`^${browser.id} .* Phone `))
  expect(await sluice(['browsers', 'revoke', browser.id, '--data', data])).toMatchObject({
    code: 0,
    stdout: `Signed out ${browser.id}.\n`,
  })
  expect(await client.browsers.list()).toEqual([])
  const { entries } = await client.audit.list()
  expect(entries.map(({ action, by }) => `${by}: ${action}`)).toEqual(
    expect.arrayContaining(['Phone: signed_in', 'terminal: browser_revoked']),
  )
  expect(await sluice(['browsers', 'revoke', 'x', '--data', data])).toMatchObject({ code: 2 })
})

test('pair without a running server says so; browsers are listed without one', async () => {
  const { data, stop } = await start()
  await stop()
  expect(await sluice(['pair', '--data', data])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `sluice: No server runs on ${data}. Start it with \`sluice serve\`, or name its directory with --data.\n`,
  })
  expect(await sluice(['browsers', 'list', '--data', data])).toMatchObject({ code: 0 })
})

test.skipIf(ptyMaker.reason !== undefined)(
  'serve prints a link on a terminal, with a QR code when other devices reach it',
  async () => {
    const directories = createServerDirectories()
    const args = ['serve', '--port', '0', '--data', directories.data]
    const shown = startInTerminal(
      [
        process.execPath,
        join(root, 'src/cli/main.js'),
        ...args,
        '--public-url',
        'https://x.example',
      ],
      { cwd: root, env: process.env },
    )
    onTestFinished(directories.remove)
    await shown.shows('For another link, run')
    expect(shown.screen()).toMatch(/Sluice is at https:\/\/x\.example\/\r?\n/)
    expect(shown.screen()).toMatch(/ {2}https:\/\/x\.example\/pair#pair_[\w-]{27}\r?\n/)
    expect(shown.screen()).toMatch(/█▀+█|█{10}/)
    shown.type('\u0003')
    await shown.ended
  },
)

test('the QR code is drawn with light blocks and has a light border', async () => {
  const network = () => ['http://192.168.1.5:3000/']
  const links = await pairingLinks({ own: () => 'http://127.0.0.1:3000/', network }, 'pair_x')
  const lines = pairingText(links).split('\n')
  expect(lines).toContain('  http://192.168.1.5:3000/pair#pair_x')
  const code = lines.filter((line) => /[█▀▄]/.test(line))
  expect(code[0]).toMatch(/^ {2}█+$/)
  expect(code.length * 2).toBeGreaterThanOrEqual(links.qr?.length ?? 0)
})

test('passkeys reset works only while no server runs', async () => {
  const { data, stop } = await start('--passkeys')
  expect(await sluice(['passkeys', 'reset', '--data', data])).toMatchObject({ code: 2, stdout: '' })
  await stop()
  expect(await sluice(['passkeys', 'reset', '--data', data])).toMatchObject({
    code: 0,
    stdout: 'Removed 0 passkeys. None is required any more.\n',
  })
  const { stdout } = await sluice(['audit', '--json', '--limit', '1', '--data', data])
  expect(JSON.parse(stdout)).toMatchObject({ action: 'passkey_removed', by: 'terminal' })
})
