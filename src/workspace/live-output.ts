/** The output of a command while it runs, in parts that are neither too many nor too long. */
export interface LiveOutput {
  push(chunk: Uint8Array): void
  /** The command has ended: emits the rest of the output. */
  end(): void
  follow(onText: OnText): void
}

type OnText = (text: string, gap: boolean) => void

/** How often a part is passed on. */
const intervalMs = 100
/** The longest part. Of more output at once, the end is passed on. */
const longestPart = 16 * 1024
/** After so many characters, the rest is only in the result. */
const longestTotal = 1024 * 1024

export const createLiveOutput = (): LiveOutput => {
  const decoder = new TextDecoder()
  const followers = new Set<OnText>()
  /** The output emitted so far, for followers that are added later. */
  let shown = ''
  let waiting = ''
  let isGap = false
  let isShownWhole = true
  let total = 0
  let timer: NodeJS.Timeout | undefined

  const passOn = () => {
    timer = undefined
    const gap = isGap
    const text = waiting
    waiting = ''
    isGap = false
    if (text === '') return
    total += text.length
    shown += text
    if (shown.length > longestPart) {
      shown = lastOf(shown)
      isShownWhole = false
    }
    for (const each of followers) each(text, gap)
  }

  const add = (text: string) => {
    if (text === '' || total >= longestTotal) return
    waiting += text
    if (waiting.length > longestPart) {
      waiting = lastOf(waiting)
      isGap = true
    }
    timer ??= setTimeout(passOn, intervalMs)
  }

  return {
    push: (chunk) => add(decoder.decode(chunk, { stream: true })),
    end() {
      add(decoder.decode())
      clearTimeout(timer)
      passOn()
    },
    follow(onText) {
      if (shown !== '') onText(shown, !isShownWhole)
      followers.add(onText)
    },
  }
}

/** The end of a text, from the beginning of a line on if there is one. */
const lastOf = (text: string): string => {
  const end = text.slice(-longestPart)
  const line = end.indexOf('\n')
  return line >= 0 && line < longestPart / 2
    ? end.slice(line + 1)
    : end.replace(/^[\uDC00-\uDFFF]/, '')
}
