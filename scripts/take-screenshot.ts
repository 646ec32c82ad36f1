import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const images = join(import.meta.dirname, '..', 'docs', 'images')

/** Takes a screenshot: at once if the state is short-lived, otherwise when code is highlighted. */
export const takeScreenshot = async (
  page: Page,
  root: string,
  name: string,
  isShortLived = false,
): Promise<void> => {
  mkdirSync(images, { recursive: true })
  await page.mouse.move(0, 0)
  if (!isShortLived) await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {})
  await page.evaluate(hideDirectory(root))
  await page.screenshot({ path: join(images, `${name}.png`) })
  process.stdout.write(`docs/images/${name}.png\n`)
}

/** Replaces the temporary directory in the text of the page with `~`. Runs in the page. */
const hideDirectory = (root: string): string => `
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (node.nodeValue.includes(${JSON.stringify(root)}))
      node.nodeValue = node.nodeValue.replaceAll(${JSON.stringify(root)}, '~')
  }
`
