import type { Page } from 'playwright-core'

/** What a finger could miss: links, buttons and fields of less than 44 by 44 pixels. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('a, button, select, summary, input, textarea, [role=button]')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      // Links in running text are as high as their line.
      .filter((element) => element.closest('p, .markdown, .visually-hidden') === null)
      .map((element) => ({
        element,
        box: (element.closest('label') ?? element).getBoundingClientRect(),
      }))
      .filter(({ box }) => box.width > 1 && (box.width < 43.5 || box.height < 43.5))
      .map(({ element, box }) => {
        const name = element.getAttribute('aria-label') ?? element.textContent
        return `${element.tagName} ${element.className} “${name}” ${box.width} x ${box.height}`
      }),
  )
