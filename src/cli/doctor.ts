import { knownAgent } from '../agents/known-agents.ts'
import { reasonOf } from '../shared/reason.ts'
import { plainLine } from './clean-text.ts'
import { checkAgents } from './doctor/check-agents.ts'
import {
  checkData,
  checkDisk,
  checkPrices,
  checkSandbox,
  checkServer,
  checkVersions,
} from './doctor/check-machine.ts'
import type { Finding } from './doctor/finding.ts'
import { checkDecoders } from './doctor/self-test.ts'
import { findUnreadLines, type UnreadLines } from './doctor/unread-lines.ts'
import { exitCodes } from './exit.ts'
import type { Terminal } from './terminal.ts'
import { wrapText } from './wrap-text.ts'

export interface DoctorOptions {
  data: string
  port: number
  json: boolean
}

/** How long the search for unread lines may take. */
const searchMs = 3000

/** `sluice doctor`: looks at everything that Sluice needs, and prints what is wrong. */
export const doctor = async (options: DoctorOptions, terminal: Terminal): Promise<number> => {
  const { data, port, json } = options
  const unread = await findUnreadLines(data, searchMs).catch(() => undefined)
  const findings: Finding[] = [
    checkVersions(),
    ...(await checkAgents(data)),
    ...(await checkDecoders()),
    ...(await Promise.all([
      checkData(data).catch(failed('data')),
      checkDisk(data).catch(failed('disk')),
      checkServer(data, port).catch(failed('server')),
      checkSandbox(data).catch(failed('sandbox')),
    ])),
    checkPrices(data),
    ...(unread ? [unreadFinding(unread)] : []),
  ]
  if (json) terminal.writeJson({ findings, ...(unread && { unreadLines: unread }) }, 2)
  else print(findings, unread, terminal)
  await terminal.flush()
  return findings.some(({ status }) => status === 'problem') ? exitCodes.failed : exitCodes.done
}

const failed =
  (check: string) =>
  (cause: unknown): Finding => ({ check, status: 'problem', message: reasonOf(cause) })

const unreadFinding = ({
  unknown,
  malformed,
  sessions,
  events,
  isPartial,
}: UnreadLines): Finding => {
  const newest = isPartial ? 'the newest ' : ''
  const where = `in ${newest}${sessions} ${sessions === 1 ? 'session' : 'sessions'} (${events.toLocaleString('en-US')} events)`
  if (unknown + malformed === 0)
    return { check: 'lines', status: 'ok', message: `Lines: all were read ${where}.` }
  return {
    check: 'lines',
    status: unknown > 0 ? 'warning' : 'ok',
    message: `Lines: ${unknown} unknown and ${malformed} malformed ${where}.`,
    ...(unknown > 0 && { advice: 'Report the samples below. Nothing else is lost.' }),
  }
}

const signs = { ok: '✓', absent: '–', warning: '!', problem: '✗' } as const
const colours = { ok: 32, absent: 2, warning: 33, problem: 31 } as const

const print = (
  findings: readonly Finding[],
  unread: UnreadLines | undefined,
  terminal: Terminal,
): void => {
  const width = Math.max(24, terminal.size()?.columns ?? 80)
  const wrap = (text: string, indent: string) => wrapText(plainLine(text), width, indent)
  for (const { status, message, advice } of findings) {
    const sign = terminal.colour()
      ? `\x1b[${colours[status]}m${signs[status]}\x1b[0m`
      : signs[status]
    terminal.write(`${sign} ${wrap(message, '  ').trimStart()}\n`)
    if (advice !== undefined) terminal.write(`${wrap(advice, '  ')}\n`)
  }
  if (unread && unread.samples.length > 0) printSamples(unread, terminal)
  terminal.write(`\n${wrap(summary(findings), '')}\n`)
}

/** Ready to paste into a report: one fenced block. */
const printSamples = ({ samples }: UnreadLines, terminal: Terminal): void => {
  terminal.write(
    '\nSamples, without keys, addresses and home paths. Read them before you paste them:\n\n',
  )
  terminal.write('```\n')
  for (const { agent, kind, count, line } of samples)
    terminal.write(`${count} × ${titleOf(agent)}, ${plainLine(kind)}\n${plainLine(line)}\n`)
  terminal.write('```\n')
}

const titleOf = (name: string): string => knownAgent(name)?.title ?? plainLine(name)

const summary = (findings: readonly Finding[]): string => {
  const count = (status: Finding['status']) =>
    findings.filter((each) => each.status === status).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return 'Everything is in order.'
  const named = (amount: number, word: string) => `${amount} ${word}${amount === 1 ? '' : 's'}`
  return `${named(problems, 'problem')}, ${named(warnings, 'warning')}.`
}
