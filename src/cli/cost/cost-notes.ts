import type { CostPace, CostReport, CostRow } from '../../api/types.ts'
import { allTokens } from '../../events/usage-sums.ts'
import { plainLine } from '../clean-text.ts'
import { dollars, shortCount, shortSpan } from './amounts.ts'
import { cellsOf } from './cells.ts'

/** What a person must know to read the table: where the amounts come from, and what is missing. */
export const costNotes = (report: CostReport, now: number): string[] => {
  const { rows, omitted, total, models, unfilled } = report
  const { computed, estimated } = total.costBy
  const missing = models.filter(({ sums }) => sums.unpriced.length > 0)
  const running = rows.find(({ pace }) => pace)
  return [
    ...(running?.pace ? paceNotes(running, running.pace, now) : []),
    ...(omitted === undefined ? [] : [`${omitted.toLocaleString('en')} more rows: see --limit.`]),
    ...(isNothing(computed) ? [] : [`≈ ${dollars(computed)} is computed from token prices.`]),
    ...(isNothing(estimated)
      ? []
      : [`≥ ${dollars(estimated)} is a lower bound: the agent has not reported the final cost.`]),
    ...(missing.length === 0
      ? []
      : [
          `+ No price, not in the cost: ${missing.map(({ model, sums }) => `${plainLine(model)} (${shortCount(allTokens(sums))} tokens)`).join(', ')}. Set one with \`sluice prices set\`.`,
        ]),
    ...(unfilled === undefined
      ? []
      : [
          `${unfilled.toLocaleString('en')} sessions of an older version are still being added. Try again soon.`,
        ]),
  ]
}

const isNothing = (usd: number): boolean => Math.abs(usd) < 1e-9

const paceNotes = ({ end = 0 }: CostRow, pace: CostPace, now: number): string[] => {
  const { usdPerHour, tokensPerMinute, projectedUsd, projectedTokens } = pace
  const rate = usdPerHour === null ? '' : `${dollars(usdPerHour)} per hour, `
  const whole = projectedUsd === null ? '' : `${dollars(projectedUsd)}, `
  return [
    `Now: ${rate}${shortCount(tokensPerMinute)} tokens per minute. ${shortSpan(end - now)} left.`,
    `At this pace the block ends with ${whole}${shortCount(projectedTokens)} tokens.`,
  ]
}

/** A note in lines of at most this width. A word that is longer has a line of its own. */
export const wrapped = (note: string, width: number): string => {
  const lines: string[] = []
  for (const word of note.split(' ')) {
    const line = lines.at(-1)
    const longer = line === undefined ? word : `${line} ${word}`
    if (line === undefined || cellsOf(longer) > width)
      lines.push(lines.length > 0 ? `  ${word}` : word)
    else lines[lines.length - 1] = longer
  }
  return lines.join('\n')
}
