import { describe, expect, test } from 'vitest'
import { say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** Words for an agent that works: now, later, and no more. */
export const driving: Scene = (world) =>
  describe('an agent that works', () => {
    test('is steered by Enter, and given more by Alt-Enter', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Steered')
      const page = await stage.openSession(id)
      await say(page, 'a long answer')
      await page.getByRole('button', { name: 'Stop' }).waitFor()
      await say(page, 'think about it', 'Alt+Enter')
      await page.locator('.queue', { hasText: 'think about it' }).waitFor()
      await say(page, 'something else')
      await page.locator('.queue-badge', { hasText: '2' }).waitFor()
      await page.getByText('You steered me: “something else”').waitFor()
      await page.locator('.queue').waitFor({ state: 'detached' })
      await page.getByText('Thought', { exact: true }).waitFor()
      const said = await page.locator('.message-said').allInnerTexts()
      expect(said.slice(-2)).toEqual(['something else', 'think about it'])
    })

    test('is stopped, and says so', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Stopped')
      const page = await stage.openSession(id)
      await say(page, 'a long answer')
      await page.getByText('Markdown, as it streams').first().waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('Stopped.', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Send' }).waitFor()
      expect(await page.locator('.run-bar').count()).toBe(0)
    })

    test('retries with a countdown, fails with advice, compacts into a card', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Trouble')
      const page = await stage.openSession(id)
      // It is short: looked for in every frame, and before it can have begun.
      const counted = page.waitForFunction(() =>
        /Retrying in \d+ s \(attempt 1 of 3\)/.test(document.body.innerText),
      )
      await say(page, 'retry')
      await counted
      await page.getByText('The second attempt worked').waitFor()
      expect(await page.getByText('These words will be taken back').count()).toBe(0)
      await server.settled(id)
      await say(page, 'error')
      await page.locator('.notice-error', { hasText: 'The model failed' }).waitFor()
      await page.getByText('Send the message again').waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Compact context' }).click()
      await page.getByRole('button', { name: /Context compacted/ }).click()
      await page.getByText('A made-up summary').waitFor()
      await page.getByRole('button', { name: 'Show earlier messages' }).click()
      await page.getByText('The second attempt worked').waitFor()
    })

    test('is given another model, and more to think', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Modelled')
      const page = await stage.openSession(id)
      await say(page, 'think')
      await server.settled(id)
      await page.getByRole('button', { name: 'demo-script' }).click()
      await page.getByRole('combobox', { name: 'Model' }).fill('demo-two')
      await page.getByRole('combobox', { name: /Thinking/ }).fill('high')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('button', { name: 'demo-two' }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'demo-two' }).click()
      // What sessions have used is suggested.
      const suggested = page.locator('datalist option')
      await expect.poll(() => suggested.evaluateAll(valuesOf)).toContain('demo-two')
      expect(await page.getByRole('combobox', { name: /Thinking/ }).inputValue()).toBe('high')
    })

    test('is told again what was said before', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Again')
      const page = await stage.openSession(id)
      await say(page, 'think')
      await server.settled(id)
      await page.locator('.composer textarea').press('ArrowUp')
      expect(await page.locator('.composer textarea').inputValue()).toBe('think')
    })
  })

const valuesOf = (elements: readonly Element[]) =>
  elements.map((element) => element.getAttribute('value'))
