import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Server } from './server.ts'

export interface Look {
  /** 360 pixels wide, with fingers. */
  phone?: boolean
  dark?: boolean
}

/** A browser in which somebody has opened the server’s address. */
export const openStage = (browser: Browser, server: Server) => {
  const contexts = new Set<BrowserContext>()

  const newContext = async ({
    phone = false,
    dark = false,
  }: Look = {}): Promise<BrowserContext> => {
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

  /** A page that knows the token, at a path. Nothing on it may fail unseen. */
  const open = async (path = '', look: Look = {}, context?: BrowserContext): Promise<Page> => {
    const page = await (context ?? (await newContext(look))).newPage()
    page.on('pageerror', (error) => failures.push(String(error)))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) failures.push(message.text())
    })
    await page.goto(server.address())
    await page.locator('.connection-live').first().waitFor({ state: 'attached' })
    if (path !== '') await page.goto(server.url + path)
    return page
  }
  const failures: string[] = []

  return {
    newContext,
    open,
    openSession: (id: string, look: Look = {}, context?: BrowserContext) =>
      open(`sessions/${id}`, look, context),
    /** Ends the pages, which must have thrown nothing. */
    async clear(): Promise<void> {
      for (const context of contexts) await context.close()
      contexts.clear()
      const [first] = failures.splice(0)
      if (first !== undefined) throw new Error(`a page failed: ${first}`)
    },
  }
}
export type Stage = ReturnType<typeof openStage>

/** Says something to the agent. */
export const say = async (page: Page, text: string, key = 'Enter'): Promise<void> => {
  const field = page.locator('.composer textarea')
  await field.fill(text)
  await field.press(key)
  await page.locator('.composer textarea:placeholder-shown').waitFor()
  await page.locator('.composer-sending').waitFor({ state: 'detached' })
}

/** What the page shows of the conversation, message by message, as plain text. */
export const messagesOn = (page: Page): Promise<string[]> =>
  page.locator('.message-assistant .markdown').allInnerTexts()

/** The card that needs a person. */
export const approvalOn = async (page: Page) => {
  const card = page.locator('.approval').first()
  await card.waitFor()
  return card
}
