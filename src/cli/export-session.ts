import { bundleContent, bundleFile } from '../bundle/write-bundle.ts'
import { version } from '../process/version.ts'
import { formatSize } from '../shared/format-size.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { shortId } from './find-session.ts'
import { requireFree, writeOutput } from './output-file.ts'
import { redactionHere, type WriteSessionOptions, withStoredSession } from './stored-session.ts'
import { printRawError, type Terminal } from './terminal.ts'

/** `sluice export`: writes a session as one file. */
export const exportSession = (options: WriteSessionOptions, terminal: Terminal): Promise<number> =>
  withStoredSession(options, async ({ record, reader }) => {
    const file = options.output ?? `sluice-${shortId(record.id)}.sluice`
    const target = { file, force: options.force }
    requireFree(target)
    const isRedacted = options.redact || options.hide.length > 0
    const content = await bundleContent(reader, record, {
      ...{ version, now: Date.now() },
      ...(isRedacted && {
        redact: { ...redactionHere(options.hide), keepImages: options.keepImages },
      }),
    })
    const size = await writeOutput(target, bundleFile(content))
    const { events, blobs, redacted } = content.header
    const report = { file, sessionId: record.id, bytes: size, events, blobs, redacted }
    if (file === '-') return exitCodes.done
    if (options.json) terminal.writeJson(report)
    else
      terminal.write(
        `Wrote ${plainLine(file)} (${formatSize(size)}): ${count(events, 'event')}, ${count(blobs, 'blob')}.\n`,
      )
    await terminal.flush()
    if (!options.json) printRawError(redacted ? checkIt : keepPrivate)
    return exitCodes.done
  })

const checkIt =
  'Keys, tokens, addresses and home paths are hidden. Rules can miss something: look at the file before you publish it.\n'
const keepPrivate =
  'It contains prompts, files and tool output as they are. To hide keys and tokens, use --redact.\n'

const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : `${noun}s`}`
