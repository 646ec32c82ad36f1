import { describe, expect, test } from 'vitest'
import { say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** Somebody writes, faster than the network. */
export const composing: Scene = (world) =>
  describe('words', () => {
    test('that are typed while a message is on its way stay, and a second message follows it', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Quick')
      const page = await stage.openSession(id)
      const go = Promise.withResolvers<void>()
      await page.route('**/prompt', async (route) => {
        await go.promise
        await route.continue()
      })
      const field = page.locator('.composer textarea')
      await field.fill('long, please')
      await field.press('Enter')
      await page.getByText('Sending…').waitFor()
      await field.fill('and a second thing')
      await field.press('Enter')
      await field.fill('half a thou')
      go.resolve()
      await page.locator('.message-user').getByText('long, please', { exact: true }).waitFor()
      await page.locator('.message-user').getByText('and a second thing').waitFor()
      expect(await field.inputValue()).toBe('half a thou')
    })

    test('that could not be sent come back in front of what was typed since', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Refused')
      const page = await stage.openSession(id)
      const fail = Promise.withResolvers<void>()
      await page.route('**/prompt', async (route) => {
        await fail.promise
        await route.abort()
      })
      const field = page.locator('.composer textarea')
      await field.fill('first')
      await field.press('Enter')
      await page.getByText('Sending…').waitFor()
      await field.fill('second')
      fail.resolve()
      await page.getByText('Could not send the message').waitFor()
      await expect.poll(() => field.inputValue()).toBe('first\nsecond')
    })

    test('are taken of what is both words and a picture; other files are refused', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Pasted')
      const page = await stage.openSession(id)
      const field = page.locator('.composer textarea')
      await field.focus()
      const paste = (text: string) =>
        field.evaluate((element, words) => {
          const data = new DataTransfer()
          data.items.add(new File(['x'], 'x.png', { type: 'image/png' }))
          if (words !== '') data.setData('text/plain', words)
          const usual = { bubbles: true, cancelable: true }
          const event = new ClipboardEvent('paste', { ...usual, clipboardData: data })
          element.dispatchEvent(event)
          return event.defaultPrevented
        }, text)
      expect(await paste('a\tb')).toBe(false)
      expect(await page.getByRole('list', { name: 'Attached images' }).count()).toBe(0)
      expect(await paste('')).toBe(true)
      await page.getByRole('list', { name: 'Attached images' }).waitFor()
      await page.locator('.entry-scroll').evaluate((element) => {
        const data = new DataTransfer()
        data.items.add(new File(['x'], 'x.txt', { type: 'text/plain' }))
        const how = { dataTransfer: data, bubbles: true, cancelable: true }
        element.dispatchEvent(new DragEvent('drop', how))
      })
      await page.getByText('Only images can be attached.').waitFor()
    })

    test('are copied with the message that they are, by mouse', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Copied')
      const context = await stage.newContext()
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const page = await stage.openSession(id, {}, context)
      await say(page, 'parallel')
      await page.getByText('Both are done.').waitFor()
      await server.settled(id)
      const message = page.locator('.message-user').first()
      await message.hover()
      await message.getByRole('button', { name: 'Copy link to this message' }).click()
      await page.getByText('Link copied.').waitFor()
      const link = await page.evaluate(() => navigator.clipboard.readText())
      expect(link).toContain('#m=')
      // It was only copied: the page stays where it is.
      expect(page.url()).not.toContain('#m=')
    })
  })
