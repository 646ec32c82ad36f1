import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Steering, queueing, stopping: messages to an agent while it works. */
export const driving: Scene = (setup) =>
  describe('an agent at work', () => {
    test('is steered with Enter, and gets queued messages with Alt+Enter', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Steered')
      const page = await pages.openSession(id)
      await sendMessage(page, 'a long answer')
      await page.getByRole('button', { name: 'Stop' }).waitFor()
      await sendMessage(page, 'think about it', 'Alt+Enter')
      await page.locator('.queue', { hasText: 'think about it' }).waitFor()
      await sendMessage(page, 'something else')
      await page.locator('.queue-badge', { hasText: '2' }).waitFor()
      await page.getByText('You steered me: “something else”').waitFor()
      await page.locator('.queue').waitFor({ state: 'detached' })
      await page.getByText('Thought', { exact: true }).waitFor()
      const sent = await page.locator('.message-said').allInnerTexts()
      expect(sent.slice(-2)).toEqual(['something else', 'think about it'])
    })

    test('has a queue whose messages can be edited, removed and sent, also after a stop', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Queue')
      const page = await pages.openSession(id)
      await sendMessage(page, 'approve')
      await page.locator('.approval').waitFor()
      for (const text of ['think one', 'think two', 'think three'])
        await sendMessage(page, text, 'Alt+Enter')
      const item = (text: string) => page.locator('.queue-item', { hasText: text })
      await item('think one').getByText('after this run').waitFor()
      await item('think one').getByRole('button', { name: 'Edit' }).click()
      const field = page.getByLabel('Edit the queued message')
      await field.fill('think once')
      await field.press('Enter')
      await item('think once').waitFor()
      await item('think two').getByRole('button', { name: 'Remove' }).click()
      await item('think two').waitFor({ state: 'detached' })
      expect(await page.locator('.queue-badge').innerText()).toBe('2')

      await page.getByRole('button', { name: 'Stop' }).click()
      await page
        .getByText('2 messages were not sent. They are sent after your next message')
        .waitFor()
      await item('think once').getByText('not sent').waitFor()
      await item('think three').getByRole('button', { name: 'Send now' }).click()
      await page.locator('.message-said').getByText('think once').waitFor()
      const sent = await page.locator('.message-said').allInnerTexts()
      expect(sent).toEqual(['approve', 'think three', 'think once'])
      await page.locator('.queue').waitFor({ state: 'detached' })

      // A message that is sent while it is edited leaves the text in the message field.
      await server.runsEnded(id, 3)
      await sendMessage(page, 'approve again')
      await page.locator('.approval').waitFor()
      await sendMessage(page, 'think four', 'Alt+Enter')
      await item('think four').getByRole('button', { name: 'Edit' }).click()
      await field.fill('think four times')
      await server.client.sessions
        .queue(id)
        .then(({ items: [queued] }) => server.client.sessions.sendQueued(id, queued?.id ?? ''))
      await page.getByText('Your text is in the message field.').waitFor()
      const message = page.locator('.composer textarea').last()
      await expect.poll(() => message.inputValue()).toBe('think four times')
      await server.client.sessions.abort(id)
      await server.runsEnded(id, 4)
    })

    test('can be stopped', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Stopped')
      const page = await pages.openSession(id)
      await sendMessage(page, 'a long answer')
      await page.getByText('Markdown, as it streams').first().waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('Stopped.', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Send' }).waitFor()
      expect(await page.locator('.run-bar').count()).toBe(0)
    })

    test('shows retries with a countdown, failures with advice, and compactions as a card', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Trouble')
      const page = await pages.openSession(id)
      // The countdown is short, so the page looks for it in every frame, and before it can start.
      const countdown = page.waitForFunction(() =>
        /Retrying in \d+ s \(attempt 1 of 3\)/.test(document.body.innerText),
      )
      await sendMessage(page, 'retry')
      await countdown
      await page.getByText('The second attempt worked').waitFor()
      expect(await page.getByText('This text will be withdrawn').count()).toBe(0)
      await server.runsEnded(id)
      await sendMessage(page, 'error')
      await page.locator('.notice-error', { hasText: 'The model failed' }).waitFor()
      await page.getByText('Send the message again').waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Compact context' }).click()
      await page.getByRole('button', { name: /Context compacted/ }).click()
      await page.getByText('A made-up summary').waitFor()
      // Everything stays where it was, marked as what the model no longer sees.
      await page.locator('.row-past').getByText('The second attempt worked').waitFor()
      await page.reload()
      await page.locator('.row-past').getByText('The second attempt worked').waitFor()
    })

    test('can change its model and thinking level', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Modelled')
      const page = await pages.openSession(id)
      await sendMessage(page, 'think')
      await server.runsEnded(id)
      await page.getByRole('button', { name: 'demo-script' }).click()
      await page.getByRole('combobox', { name: 'Model' }).fill('demo-two')
      await page.getByRole('combobox', { name: /Thinking/ }).selectOption('high')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('button', { name: 'demo-two' }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'demo-two' }).click()
      // Models that sessions have used are suggested.
      const suggestions = page.locator('datalist option')
      await expect.poll(() => suggestions.evaluateAll(valuesOf)).toContain('demo-two')
      expect(await page.getByRole('combobox', { name: /Thinking/ }).inputValue()).toBe('high')
    })

    test('can be sent an earlier message again', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Again')
      const page = await pages.openSession(id)
      await sendMessage(page, 'think')
      await server.runsEnded(id)
      await page.locator('.composer textarea').press('ArrowUp')
      expect(await page.locator('.composer textarea').inputValue()).toBe('think')
    })
  })

const valuesOf = (elements: readonly Element[]) =>
  elements.map((element) => element.getAttribute('value'))
