import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { originalText, type RevealedPart } from '../../../src/shared/revealed-text.ts'
import { type RequestedCall, startAskingServer } from '../support/asking-agent.ts'
import { createPages } from '../support/pages.ts'

/** Fewer on a slow machine: the time is limited, too. */
const runs = 150

/** What an agent sends to make a card say something else. */
export const cardFuzz = (browser: Browser): unknown =>
  describe('a hostile request', () => {
    test('shows all that the agent gets, and is allowed only after its end was on the screen', async () => {
      const server = await startAskingServer()
      const pages = createPages(browser, server)
      try {
        const { id } = await server.createSession('Fuzz', 'claude', 'claude-opus-5-5')
        const page = await pages.openSession(id)
        const events = server.client.sessions.stream(id, { after: 0 })[Symbol.asyncIterator]()
        /** The arguments that the agent got: its call prints them as JSON. */
        const received = async (): Promise<string> => {
          for (let output = ''; ; ) {
            const { value, done } = await events.next()
            if (done) throw new Error('the stream has ended')
            if (value.type === 'tool_result')
              output = value.message.content
                .map((block) => ('text' in block ? block.text : ''))
                .join('')
            if (value.type === 'agent_end') return output
          }
        }
        await fc.assert(
          fc.asyncProperty(hostileCall, async (call) => {
            await server.client.sessions.prompt(id, JSON.stringify({ calls: [call] }))
            const card = await readAndAllow(page)
            expect(await received()).toBe(JSON.stringify(call.input))
            if (card.isEnabledEarly) expect(card.isEndVisibleEarly).toBe(true)
            expectShown(card, call)
          }),
          { numRuns: runs, endOnFailure: true, interruptAfterTimeLimit: 15_000 },
        )
        await pages.closeAll()
      } finally {
        await server.close()
      }
    }, 120_000)
  })

/** What a card showed, and when it could be allowed. */
interface ReadCard {
  title: readonly RevealedPart[]
  kind: string
  /** All parts of the request, in their order. */
  parts: readonly RevealedPart[]
  isEnabledEarly: boolean
  isEndVisibleEarly: boolean
}

/** Reads the card as it is drawn, scrolls to the end, and presses Allow. */
const readAndAllow = (page: Page): Promise<ReadCard> => page.evaluate(inPage)

/** Runs in the page. */
const inPage = async (): Promise<ReadCard> => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const find = (selector: string) => document.querySelector<HTMLElement>(`.approval ${selector}`)
  const until = async <T>(what: string, look: () => T | null | undefined | false): Promise<T> => {
    for (let frames = 0; frames < 1200; frames += 1) {
      const found = look()
      if (found) return found
      await frame()
    }
    throw new Error(`not on the page: ${what}`)
  }
  const partsOf = (root: Node) => {
    const parts: RevealedPart[] = []
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode
      if (parentElement?.closest('.revealed-blank')) continue
      const isHidden = parentElement?.matches('.revealed-hidden') === true
      parts.push({ text: textContent ?? '', kind: isHidden ? 'hidden' : 'plain' })
    }
    return parts
  }
  await until('the preview', () => find('.approval-tool[aria-busy=false]'))
  for (let frames = 0; frames < 3; frames += 1) await frame()
  const allow = await until('Allow', () => find('.approval-buttons .primary'))
  const box = await until('the request', () => find('.request-box'))
  const end = await until('its end', () => find('.request-end'))
  const title = await until('its title', () => find('h3'))
  const read = {
    title: partsOf(title),
    kind: box.getAttribute('aria-label') ?? '',
    parts: partsOf(box),
    isEnabledEarly: allow.matches(':enabled'),
    isEndVisibleEarly: end.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1,
  }
  box.scrollTop = box.scrollHeight
  end.scrollIntoView({ block: 'center' })
  await until('an enabled button', () => allow.matches(':enabled'))
  allow.click()
  await until('no card', () => !document.querySelector('.approval'))
  return read
}

const expectShown = ({ title, kind, parts }: ReadCard, { name, input }: RequestedCall): void => {
  const isDiff = kind.startsWith('Changes to')
  const shown = withoutBlanks(originalText(parts))
  if (name.length <= 80 && !name.includes('\n')) expect(originalText(title)).toBe(`Allow ${name}?`)
  else expect(shown).toContain(withoutBlanks(name))
  for (const [argument, value] of Object.entries(input as object)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    // A command and a diff are shown without the names of their arguments.
    if (!isDiff && !(kind === 'Command' && argument === 'command'))
      expect(shown).toContain(withoutBlanks(argument))
    for (const line of isDiff ? text.split('\n') : [text])
      expect(shown).toContain(withoutBlanks(line))
  }
}

/** Long gaps are summarised, so the comparison leaves out blanks. */
const withoutBlanks = (text: string): string => text.replace(/[ \t\n]/g, '')

const tricks = [
  'npm test',
  'rm -rf ~',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u0000',
  '\u001b[8m',
  '\r',
  '\u2028',
  '\ud800',
  '\\u202e',
  '[200 empty lines]',
  'p\u0430ypal',
  'שלום',
  '👩‍💻',
  '</pre><script>',
  '\n'.repeat(200),
  ' '.repeat(2000),
  '\u3164'.repeat(300),
  `# ${'comment '.repeat(1000)}`,
]

const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...tricks), fc.string({ unit: 'binary', maxLength: 12 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((pieces) => pieces.join(''))

const hostileName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'patch', 'input'),
  hostileText.map((text) => text.slice(0, 300)),
)

/** Made from JSON, so that `__proto__` is a name like any other. */
const objectOf = (pairs: readonly (readonly [string, unknown])[]): object =>
  JSON.parse(
    `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`,
  )

const hostileArgs = fc.array(
  fc.tuple(
    hostileName,
    fc.oneof({ weight: 3, arbitrary: hostileText }, fc.jsonValue({ maxDepth: 2 })),
  ),
  { maxLength: 4 },
)

/** A known tool with its own arguments, and sometimes with others. */
const knownCall = fc
  .tuple(
    fc.oneof(
      hostileText.map((command) => ['Bash', [['command', command]]] as const),
      fc.tuple(fc.constantFrom('/nowhere/new.ts', '/nowhere/a\u202eb.md'), hostileText).map(
        ([path, content]) =>
          [
            'Write',
            [
              ['file_path', path],
              ['content', content],
            ],
          ] as const,
      ),
    ),
    fc.oneof(fc.constant([]), hostileArgs),
  )
  .map(([[name, own], others]) => ({ name, input: objectOf([...others, ...own]) }))

const unknownCall = fc
  .tuple(hostileName, hostileArgs)
  .map(([name, args]) => ({ name, input: objectOf(args) }))

const hostileCall: fc.Arbitrary<RequestedCall> = fc.oneof(knownCall, unknownCall)
