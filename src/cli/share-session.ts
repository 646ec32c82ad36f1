import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { sessionName } from '../api/session-name.ts'
import { type BundleContent, bundleContent } from '../bundle/write-bundle.ts'
import { version } from '../process/version.ts'
import { Fault } from '../shared/fault.ts'
import { formatSize } from '../shared/format-size.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { shortId } from './find-session.ts'
import { requireFree, writeOutput } from './output-file.ts'
import { redactionHere, type WriteSessionOptions, withStoredSession } from './stored-session.ts'
import { printRawError, type Terminal } from './terminal.ts'

/** A page holds its session in memory, and so does the browser. */
const maxBytes = 256 * 1024 * 1024

/** `sluice share`: writes a page that replays a session, without a server and without a network. */
export const shareSession = (options: WriteSessionOptions, terminal: Terminal): Promise<number> =>
  withStoredSession(options, async ({ record, reader }) => {
    const file = options.output ?? `sluice-${shortId(record.id)}.html`
    const target = { file, force: options.force }
    requireFree(target)
    const template = readFileSync(sharePage(), 'utf8')
    const content = await bundleContent(reader, record, {
      ...{ version, now: Date.now() },
      ...(options.redact && {
        redact: { ...redactionHere(options.hide), keepImages: options.keepImages },
      }),
    })
    const page = pageOf(template, content.header, await payloadOf(content))
    const size = await writeOutput(target, Readable.from([Buffer.from(page)]))
    const { events, redacted } = content.header
    if (file === '-') return exitCodes.done
    if (options.json)
      terminal.writeJson({ file, sessionId: record.id, bytes: size, events, redacted })
    else
      terminal.write(
        `Wrote ${plainLine(file)} (${formatSize(size)}): ${events.toLocaleString('en')} events. Open it in a browser.\n`,
      )
    await terminal.flush()
    if (!options.json) printRawError(redacted ? checkIt : notHidden)
    return exitCodes.done
  })

const checkIt =
  'Keys, tokens, addresses, home paths and images are hidden. Rules can miss something: look at the page before you publish it.\n'
const notHidden =
  'Nothing is hidden in it: prompts, files and tool output are as they were. Keep it private.\n'

type Header = BundleContent['header']

/** The session as the page reads it: JSON, compressed. */
const payloadOf = async (content: BundleContent): Promise<string> => {
  const { session, exportedAt, redacted } = content.header
  const { id, agent, model } = session
  const head = { id, name: sessionName(session), agent, model, exportedAt, isRedacted: redacted }
  const blobs: Record<string, object> = {}
  let size = 0
  for await (const { ref, bytes } of content.blobs()) {
    size += bytes.byteLength
    if (size > maxBytes) throw tooLarge()
    const { hash, mimeType } = ref
    blobs[hash] = { mimeType, data: Buffer.from(bytes).toString('base64') }
  }
  const events: string[] = []
  for await (const event of content.events()) {
    const text = JSON.stringify(event)
    size += text.length
    if (size > maxBytes) throw tooLarge()
    events.push(text)
  }
  const parts = JSON.stringify({ ...head, blobs }).slice(0, -1)
  return gzipSync(`${parts},"events":[${events.join(',')}]}`, { level: 9 }).toString('base64')
}

const tooLarge = (): Fault =>
  new Fault(
    'usage',
    `The session has more than ${formatSize(maxBytes)}, which is too much for a page. Use \`sluice export\` instead.`,
  )

const pageOf = (template: string, { session }: Header, payload: string): string => {
  // Functions, because a text would be read for patterns such as `$&`.
  const title = escapeHtml(sessionName(session))
  return template
    .replace('<title>TITLE<', () => `<title>${title}<`)
    .replace('>SESSION<', () => `>${payload}<`)
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The page as it was built; from sources, where `npm start` puts it. */
const sharePage = (): string => {
  const candidates = ['../share/page.html', '../../.cache/share/page.html'].map((path) =>
    join(import.meta.dirname, path),
  )
  const found = candidates.find((path) => existsSync(path))
  if (found) return found
  throw new Fault('usage', 'The page for sharing is not built. Run `npm run build` first.')
}
