import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Writing messages, also while the network is slow. */
export const composing: Scene = (setup) =>
  describe('a message', () => {
    test('keeps what is typed while another one is sent, and follows it in order', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Quick')
      const page = await pages.openSession(id)
      const proceed = Promise.withResolvers<void>()
      await page.route('**/prompt', async (route) => {
        await proceed.promise
        await route.continue()
      })
      const field = page.locator('.composer textarea')
      await field.fill('long, please')
      await field.press('Enter')
      await page.getByText('Sending…').waitFor()
      await field.fill('and a second thing')
      await field.press('Enter')
      await field.fill('half a thou')
      proceed.resolve()
      await page.locator('.message-user').getByText('long, please', { exact: true }).waitFor()
      await page.locator('.message-user').getByText('and a second thing').waitFor()
      expect(await field.inputValue()).toBe('half a thou')
    })

    test('that could not be sent returns in front of what was typed since', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Refused')
      const page = await pages.openSession(id)
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

    test('gets the text of a paste that is both text and image; files are attached by their content', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Pasted')
      const page = await pages.openSession(id)
      const field = page.locator('.composer textarea')
      await field.focus()
      const paste = (text: string) =>
        field.evaluate((element, copied) => {
          const data = new DataTransfer()
          data.items.add(new File(['x'], 'x.png', { type: 'image/png' }))
          if (copied !== '') data.setData('text/plain', copied)
          const options = { bubbles: true, cancelable: true }
          const event = new ClipboardEvent('paste', { ...options, clipboardData: data })
          element.dispatchEvent(event)
          return event.defaultPrevented
        }, text)
      expect(await paste('a\tb')).toBe(false)
      expect(await page.getByRole('list', { name: 'Attached images' }).count()).toBe(0)
      expect(await paste('')).toBe(true)
      await page.getByRole('list', { name: 'Attached images' }).waitFor()
      await page.locator('.entry-scroll').evaluate((element) => {
        const data = new DataTransfer()
        data.items.add(new File(['x'], 'x.bin', { type: '' }))
        data.items.add(new File([new Uint8Array([1, 0, 2])], 'y.txt', { type: 'text/plain' }))
        const init = { dataTransfer: data, bubbles: true, cancelable: true }
        element.dispatchEvent(new DragEvent('drop', init))
      })
      await page.getByText('“y.txt” cannot be attached').waitFor()
      await page.getByRole('list', { name: 'Attached files' }).getByText('x.bin').waitFor()
      await page.getByRole('button', { name: 'Remove image 1' }).click()
      await sendMessage(page, 'think, please')
      await page.locator('.message-user').getByText('x.bin').waitFor()
      expect(await page.getByRole('list', { name: 'Attached files' }).count()).toBe(0)
    })

    test('can be copied on plain HTTP, where the page has no clipboard', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Plain')
      const context = await pages.newContext()
      await context.addInitScript(() =>
        Object.defineProperty(navigator, 'clipboard', { value: undefined }),
      )
      const page = await pages.openSession(id, {}, context)
      await sendMessage(page, 'parallel, please')
      await server.runsEnded(id)
      const message = page.locator('.message-user').first()
      await message.hover()
      await message.getByRole('button', { name: 'Copy message' }).click()
      await message.getByRole('button', { name: 'Copied' }).waitFor()
      const field = page.locator('.composer textarea')
      await field.focus()
      await field.press('ControlOrMeta+v')
      expect(await field.inputValue()).toBe('parallel, please')
    })

    test('has a link that can be copied', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Copied')
      const context = await pages.newContext()
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const page = await pages.openSession(id, {}, context)
      await sendMessage(page, 'parallel')
      await page.getByText('Both are done.').waitFor()
      await server.runsEnded(id)
      const message = page.locator('.message-user').first()
      await message.hover()
      await message.getByRole('button', { name: 'Copy link to this message' }).click()
      await page.getByText('Link copied.').waitFor()
      const link = await page.evaluate(() => navigator.clipboard.readText())
      expect(link).toContain('#m=')
      // Copying does not follow the link.
      expect(page.url()).not.toContain('#m=')
    })
  })
