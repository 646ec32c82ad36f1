import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Images that are sent with a message. */
export const images: Scene = (setup) =>
  describe('an image', () => {
    test.each(['chosen', 'pasted', 'dropped'] as const)('is %s, and sent', async (way) => {
      const { pages, server } = setup()
      const { id } = await server.createSession(`Picture ${way}`)
      const page = await pages.openSession(id)
      await attach[way](page)
      await page.locator('.attached img').waitFor()
      expect(await naturalSize(page)).toEqual([1, 1])
      await sendMessage(page, 'an image')
      await page.getByText('Images that you sent: 1.').waitFor()
      expect(await page.locator('.attached').count()).toBe(0)
      await server.runsEnded(id)
    })

    test('can be removed; text is left to the browser', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Not a picture')
      const page = await pages.openSession(id)
      expect(await dispatch(page, 'paste', { text: 'only words' })).toBe('ignored')
      expect(await dispatch(page, 'paste', { type: 'image/png' })).toBe('handled')
      await page.getByRole('button', { name: 'Remove image 1' }).click()
      await page.locator('.attached').waitFor({ state: 'detached' })
    })
  })

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const attach = {
  chosen: (page: Page) =>
    page.locator('input[type=file]').setInputFiles({
      name: 'pixel.png',
      mimeType: 'image/png',
      buffer: Buffer.from(pixel, 'base64'),
    }),
  pasted: (page: Page) => dispatch(page, 'paste', { type: 'image/png' }),
  async dropped(page: Page) {
    expect(await dispatch(page, 'dragover', { type: 'image/png' })).toBe('handled')
    await page.locator('.composer-over').waitFor()
    await dispatch(page, 'drop', { type: 'image/png' })
    await page.locator('.composer-over').waitFor({ state: 'detached' })
  },
}

interface Transfer {
  /** The media type, if it is a file. */
  type?: string
  text?: string
}

/** Dispatches a paste or drop on the field; resolves to whether the app handled it. */
const dispatch = (
  page: Page,
  event: 'paste' | 'dragover' | 'drop',
  content: Transfer,
): Promise<string> =>
  page.locator('.composer textarea').evaluate(
    (field, { name, type, text, data }) => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
      if (type !== undefined) transfer.items.add(new File([bytes], 'file', { type }))
      if (text !== undefined) transfer.setData('text/plain', text)
      const options = { bubbles: true, cancelable: true }
      const dispatched =
        name === 'paste'
          ? new ClipboardEvent(name, { ...options, clipboardData: transfer })
          : new DragEvent(name, { ...options, dataTransfer: transfer })
      return field.dispatchEvent(dispatched) ? 'ignored' : 'handled'
    },
    { ...content, name: event, data: pixel },
  )

const naturalSize = (page: Page): Promise<number[]> =>
  page.locator('.attached img').evaluate(async (image) => {
    if (!(image instanceof HTMLImageElement)) return []
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })
