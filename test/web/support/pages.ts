import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { SluiceServer } from './server.ts'

export interface PageOptions {
  /** 360 pixels wide, with a touch screen. */
  phone?: boolean
  dark?: boolean
}

/** Opens pages of the web app, and checks that nothing on them fails. */
export interface Pages {
  /** A browser with its own storage, which pages can share as tabs. */
  newContext(options?: PageOptions): Promise<BrowserContext>
  /** Opens a path of the app, signed in and connected. */
  open(path?: string, options?: PageOptions, context?: BrowserContext): Promise<Page>
  openSession(id: string, options?: PageOptions, context?: BrowserContext): Promise<Page>
  /** Closes all pages, and throws if one of them had an error. */
  closeAll(): Promise<void>
}

export const createPages = (browser: Browser, server: SluiceServer): Pages => {
  const contexts = new Set<BrowserContext>()
  const paired = new WeakSet<BrowserContext>()
  const failures: string[] = []

  const newContext: Pages['newContext'] = async ({ phone = false, dark = false } = {}) => {
    const context = await browser.newContext({
      locale: 'en-US',
      colorScheme: dark ? 'dark' : 'light',
      viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 },
      ...(phone && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
    })
    context.setDefaultTimeout(60_000)
    contexts.add(context)
    return context
  }

  /** Pairs the browser of a page, once, and waits until the page is connected. */
  const signIn = async (page: Page): Promise<void> => {
    const context = page.context()
    await page.goto(paired.has(context) ? server.url : await server.pairingUrl())
    paired.add(context)
    await page.locator('.connection-live').first().waitFor({ state: 'attached' })
  }

  const open: Pages['open'] = async (path = '', options = {}, context) => {
    const page = await (context ?? (await newContext(options))).newPage()
    page.on('pageerror', (error) => failures.push(String(error)))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) failures.push(message.text())
    })
    await signIn(page)
    if (path !== '') await page.goto(server.url + path)
    return page
  }

  return {
    newContext,
    open,
    openSession: (id, options, context) => open(`sessions/${id}`, options, context),
    async closeAll() {
      for (const context of contexts) await context.close()
      contexts.clear()
      const [first] = failures.splice(0)
      if (first !== undefined) throw new Error(`a page failed: ${first}`)
    },
  }
}

/** Sends a message to the agent with a key, and waits until the server has it. */
export const sendMessage = async (page: Page, text: string, key = 'Enter'): Promise<void> => {
  const field = page.locator('.composer textarea')
  await field.fill(text)
  await field.press(key)
  await page.locator('.composer textarea:placeholder-shown').waitFor()
  await page.locator('.composer-sending').waitFor({ state: 'detached' })
}

/** The text of each message of the agent on the page. */
export const assistantMessages = (page: Page): Promise<string[]> =>
  page.locator('.message-assistant .markdown').allInnerTexts()

/** Waits for the first approval card on the page. */
export const firstApproval = async (page: Page): Promise<Locator> => {
  const card = page.locator('.approval').first()
  await card.waitFor()
  return card
}

/** The button that allows a request once. */
export const allowOf = (card: Locator): Locator =>
  card.getByRole('button', { name: 'Allow', exact: true })

/** Waits until a request can be allowed: its end was on the screen. Before that, keys do not allow it. */
export const untilAllowable = (card: Locator): Promise<void> =>
  expect.poll(() => allowOf(card).isEnabled()).toBe(true)

/** Scrolls to the end of a request, so that it can be allowed. */
export const readToEnd = async (card: Locator): Promise<void> => {
  await card.locator('.approval-tool[aria-busy=false]').waitFor({ state: 'attached' })
  await card.locator('.request-end').evaluate((end) => end.scrollIntoView({ block: 'center' }))
}
