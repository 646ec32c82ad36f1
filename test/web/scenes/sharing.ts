import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { createStamp } from '../../../src/events/stamp.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { extractBlobs } from '../../../src/log/blobs/extract-blobs.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import { noisePng } from '../../support/png.ts'
import { decodeChunks, recording } from '../../support/recordings.ts'
import { sluice } from '../../support/sluice.ts'
import { smallTargets } from '../support/small-targets.ts'

const key = `ghp_${'aB3dE5fG7hJ9kL1mN2'.repeat(2)}`
const name = `</title></script><script>document.title = 'hacked'</script>`

const said = (messageId: string, content: object[]): AgentEvent[] => [
  { type: 'message_start', messageId, messageRole: 'user' },
  ...[{ type: 'message_end', messageId, message: { role: 'user', content } }].map(
    (event): AgentEvent => JSON.parse(JSON.stringify(event)),
  ),
]

/** A page that `sluice share` writes. */
export const sharing = (browser: Browser) =>
  describe('a shared page', () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-share-'))
    afterAll(() => rmSync(directory, { recursive: true, force: true }))
    const data = join(directory, 'data')
    const share = (file: string, ...more: string[]) =>
      sluice(['share', 'shared', '-o', join(directory, file), '--data', data, ...more])

    const store = async () => {
      const log = await openSqliteLog(data)
      const id = 'shared'
      const about = { agent: 'pi', cwd: '/home/ann/shop', state: 'idle', name } as const
      await log.sessions.create({ id, ...about, createdAt: 1, updatedAt: 1 })
      const image = { type: 'image', mimeType: 'image/png' }
      const events = [
        ...decodeChunks('pi', [recording('pi/0.87.1/rpc-tools').bytes()]),
        ...said('m-key', [{ type: 'text', text: `Deploy with ${key}` }]),
        ...said('m-image', [{ ...image, data: noisePng(400, 400).toString('base64') }]),
      ]
      let now = 1_700_000_000_000
      const stamp = createStamp(id, () => (now += 20))
      for (const event of events) {
        const { event: small, blobs } = extractBlobs(event)
        for (const { bytes, ref } of blobs) await log.blobs.put(id, bytes, ref.mimeType)
        await log.append(id, [stamp(small)])
      }
      await log.close()
      return events.length
    }

    test('opens from a file without a network, is redacted, and replays', async () => {
      const length = await store()
      expect(await share('page.html')).toMatchObject({ code: 0 })
      const file = join(directory, 'page.html')
      expect(statSync(file).size).toBeLessThan(600_000)
      expect(readFileSync(file, 'utf8')).not.toContain(key)

      const context = await browser.newContext({ offline: true, locale: 'en-US' })
      const page = await context.newPage()
      const failures: string[] = []
      page.on('pageerror', (error) => failures.push(String(error)))
      page.on('console', (message) => failures.push(message.text()))
      page.on('request', (request) => {
        if (!/^(?:file|blob|data):/.test(request.url())) failures.push(request.url())
      })
      await page.goto(`file://${file}`)
      await page.getByText('Deploy with [redacted-token]').waitFor()
      expect(await page.title()).toBe(name)
      expect(await page.locator('h1').innerText()).toBe(name)
      await page.getByText('Redacted', { exact: true }).waitFor()

      const slider = page.getByRole('slider', { name: 'Position' })
      expect(await slider.getAttribute('max')).toBe(String(length))
      await slider.fill('0')
      await expect.poll(() => page.locator('.message').count()).toBe(0)
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('20')
      await page.getByRole('button', { name: 'Play' }).click()
      await page.getByText('Deploy with [redacted-token]').waitFor()
      expect(await page.getByRole('button', { name: 'Back to live' }).count()).toBe(0)
      expect(failures).toEqual([])
      const phone = await browser.newContext({ hasTouch: true, isMobile: true, offline: true })
      const small = await phone.newPage()
      await small.setViewportSize({ width: 360, height: 740 })
      await small.goto(`file://${file}`)
      await small.getByRole('slider', { name: 'Position' }).waitFor()
      expect(await smallTargets(small)).toEqual([])
      expect(await small.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await phone.close()
      await context.close()
    })

    test('keeps everything with --no-redact: the key, and the image inside the page', async () => {
      expect(await share('all.html', '--no-redact')).toMatchObject({
        ...{ code: 0, stderr: expect.stringContaining('Nothing is hidden') },
      })
      const context = await browser.newContext({ offline: true })
      const page = await context.newPage()
      await page.goto(`file://${join(directory, 'all.html')}`)
      await page.getByText(`Deploy with ${key}`).waitFor()
      const image = page.locator('.message img').last()
      await expect.poll(() => image.evaluate((node) => Reflect.get(node, 'naturalWidth'))).toBe(400)
      await context.close()
    })
  })
