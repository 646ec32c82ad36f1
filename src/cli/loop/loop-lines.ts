import type { LoopEndReason, LoopInfo, LoopIteration, Totals } from '../../events/types.ts'
import { allTokens, costSign } from '../../events/usage-sums.ts'
import { textOfCost, textOfCount, textOfDuration } from '../../handler/summary-line.ts'
import { loopTitle } from '../../loop/loop-title.ts'
import { shortened } from '../../shared/shortened.ts'
import { plainLine } from '../clean-text.ts'
import { shortId } from '../find-session.ts'
import { localMinute } from '../local-minute.ts'

/** Below this width, a row has two lines. */
const narrowWidth = 64

/** The row of an iteration that is over: number, outcome, turns, cost, duration, context. */
export const iterationLine = (iteration: LoopIteration, width: number): string => {
  const { outcome = 'running', turns, usage, durationMs, context, message } = iteration
  const number = `#${iteration.iteration}`
  const name = outcome.replaceAll('_', ' ')
  const figures = [
    turns === undefined ? undefined : `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    usage && (usage.costUsd === null ? 'cost ?' : costText(usage)),
    durationMs === undefined ? undefined : textOfDuration(durationMs),
    context && contextText(context.percent, context.used),
  ]
  const known = figures.flatMap((figure) => figure ?? [])
  const row =
    width < narrowWidth
      ? [`${number} ${name}`, ...(known.length > 0 ? [`   ${known.join(' · ')}`] : [])].join('\n')
      : [
          number.padEnd(5),
          name.padEnd(13),
          ...figures.map((figure = '–') => figure.padStart(10)),
        ].join(' ')
  const room = Math.max(20, width - 6)
  const why = message === undefined ? '' : `\n      ${shortened(plainLine(message), room)}`
  return `${row.trimEnd()}${why}\n`
}

/** What a loop is, in its first line. */
export const headLine = (loop: LoopInfo, width: number): string => {
  const { id, agent, cwd } = loop
  const text = `Loop ${shortId(id)}: ${agent}, ${plainLine(loopTitle(loop))}, in ${plainLine(cwd)}`
  return `${shortened(text, width)}\n`
}

/** How a loop ended, or that it is paused. */
export const endLine = (loop: LoopInfo): string => {
  const { end, pauseReason, id } = loop
  const what = end
    ? `${end.reason === 'promise' ? 'Done' : 'Ended'}: ${end.message}`
    : `Paused.${pauseReason === undefined ? '' : ` ${pauseReason}`}`
  const hint = canResume(loop)
    ? `\nResume it with: sluice loop --resume ${shortId(id)}${limitToRaise(loop)}`
    : ''
  return `${plainLine(what)}\n${sumLine(loop)}${hint}\n`
}

const canResume = ({ end }: LoopInfo): boolean => end?.reason !== 'promise'

/** The option without which the loop would end again at once. */
const limitToRaise = ({ end }: LoopInfo): string => {
  const option = end && limitOptions[end.reason]
  return option === undefined ? '' : ` ${option}`
}

const limitOptions: Partial<Record<LoopEndReason, string>> = {
  max_iterations: '--max-iterations <more>',
  max_duration: '--max-duration <more>',
  max_cost: '--max-cost <more>',
  max_tokens: '--max-tokens <more>',
}

const sumLine = ({ iterationCount, usage, durationMs }: LoopInfo): string =>
  [
    `${iterationCount} ${iterationCount === 1 ? 'iteration' : 'iterations'}`,
    costText(usage),
    `${textOfCount(allTokens(usage))} tokens`,
    textOfDuration(durationMs),
  ].join(' · ')

/** What a loop waits for. */
export const waitLine = ({ waitsFor, nextAt = 0 }: LoopInfo): string => {
  const why = { rate_limit: 'the rate limit', schedule: 'the schedule', retry: 'another try' }
  return `Waiting for ${why[waitsFor ?? 'schedule']} until ${localMinute(nextAt)}.\n`
}

/** What the limit on money leaves out; undefined if it counts everything. */
export const unpricedLine = ({ limits, usage }: LoopInfo): string | undefined => {
  const { unpriced = [] } = usage
  if (limits.maxCostUsd === undefined || unpriced.length === 0) return undefined
  const models = plainLine(unpriced.join(', '))
  const hint =
    limits.maxTokens === undefined ? ' Limit the tokens with --max-tokens, or set' : ' Set'
  return `--max-cost does not count ${models}: no price is known.${hint} a price with: sluice prices set\n`
}

/** A row of `sluice loop list`. */
export const loopRow = (loop: LoopInfo, width: number): string => {
  const { id, agent, state, end, updatedAt, iterationCount, usage } = loop
  const name = plainLine(loopTitle(loop))
  const result = end ? end.reason.replaceAll('_', ' ') : state
  const figures = `${iterationCount} × ${agent} · ${costText(usage)}`
  if (width < narrowWidth)
    return `${shortId(id)} ${result}\n   ${shortened(name, width - 3)}\n   ${figures}\n`
  const row = `${shortId(id)}  ${localMinute(updatedAt)}  ${result.padEnd(14)} ${figures.padEnd(22)}`
  return `${row} ${shortened(name, Math.max(10, width - row.length - 1))}\n`
}

/** The cost of a loop or an iteration. */
const costText = ({ costUsd, provenance }: Totals): string =>
  costUsd === null ? 'cost unknown' : costSign(provenance.cost) + textOfCost(costUsd)

const contextText = (percent: number | null, used: number): string =>
  percent === null ? `${textOfCount(used)} ctx` : `ctx ${Math.round(percent)} %`
