/**
 * Gives the browser a language that `Intl` knows, where its own is none, such as `en-US@posix` on a
 * machine without one: the plot asks for its numbers as soon as it is loaded, and would throw.
 */
export const mendLanguage = (navigator: Navigator): void => {
  try {
    new Intl.NumberFormat(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  }
}
