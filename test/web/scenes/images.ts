import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** Images that go along with what is said. */
export const images: Scene = (world) =>
  describe('an image', () => {
    test.each(['chosen', 'pasted', 'dropped'] as const)('is %s, and sent', async (way) => {
      const { stage, server } = world()
      const { id } = await server.begin(`Picture ${way}`)
      const page = await stage.openSession(id)
      await bring[way](page)
      await page.locator('.attached img').waitFor()
      expect(await naturalSize(page)).toEqual([1, 1])
      await say(page, 'an image')
      await page.getByText('Images that came along: 1.').waitFor()
      expect(await page.locator('.attached').count()).toBe(0)
      await server.settled(id)
    })

    test('is taken off again; words and other files are left to the browser', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Not a picture')
      const page = await stage.openSession(id)
      expect(await give(page, 'paste', { text: 'only words' })).toBe('left')
      expect(await give(page, 'paste', { type: 'text/plain' })).toBe('left')
      expect(await give(page, 'paste', { type: 'image/png' })).toBe('taken')
      await page.getByRole('button', { name: 'Remove image 1' }).click()
      await page.locator('.attached').waitFor({ state: 'detached' })
    })
  })

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const bring = {
  chosen: (page: Page) =>
    page.locator('input[type=file]').setInputFiles({
      name: 'pixel.png',
      mimeType: 'image/png',
      buffer: Buffer.from(pixel, 'base64'),
    }),
  pasted: (page: Page) => give(page, 'paste', { type: 'image/png' }),
  async dropped(page: Page) {
    expect(await give(page, 'dragover', { type: 'image/png' })).toBe('taken')
    await page.locator('.composer-over').waitFor()
    await give(page, 'drop', { type: 'image/png' })
    await page.locator('.composer-over').waitFor({ state: 'detached' })
  },
}

interface Given {
  /** The media type of a file, if it is one. */
  type?: string
  text?: string
}

/** Does to the field what a person does with the mouse or the clipboard; tells whether it took it. */
const give = (page: Page, event: 'paste' | 'dragover' | 'drop', given: Given): Promise<string> =>
  page.locator('.composer textarea').evaluate(
    (field, { name, type, text, data }) => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))
      if (type !== undefined) transfer.items.add(new File([bytes], 'file', { type }))
      if (text !== undefined) transfer.setData('text/plain', text)
      const usual = { bubbles: true, cancelable: true }
      const made =
        name === 'paste'
          ? new ClipboardEvent(name, { ...usual, clipboardData: transfer })
          : new DragEvent(name, { ...usual, dataTransfer: transfer })
      return field.dispatchEvent(made) ? 'left' : 'taken'
    },
    { ...given, name: event, data: pixel },
  )

const naturalSize = (page: Page): Promise<number[]> =>
  page.locator('.attached img').evaluate(async (image) => {
    if (!(image instanceof HTMLImageElement)) return []
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })
