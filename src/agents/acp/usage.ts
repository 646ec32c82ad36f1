import type { Usage } from '../../events/types.ts'
import { addTokens } from '../../events/usage-sums.ts'
import { countOf, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { usageIn } from './dialects.ts'
import type { Messages } from './messages.ts'
import type { AcpSession } from './session.ts'

/** What agents report about tokens and money: each counts something else. */
export interface UsageReports {
  /** The usage of one model call, in a chunk. */
  call(usage: unknown): void
  /** A `usage_update`: the context, and the cost of the session so far. */
  update(update: Fields): void
  /** The answer to a prompt. Call this before the last message of the prompt ends. */
  prompt(result: Fields): void
}

export interface UsageReportsOptions {
  emit: Emit
  session: AcpSession
  messages: Pick<Messages, 'usage'>
}

export const createUsageReports = (options: UsageReportsOptions): UsageReports => {
  const { emit, session, messages } = options
  const total = new Map<string, Usage>()
  let cost: number | undefined
  let reportedCost: number | undefined
  const model = () => session.model() ?? 'unknown'

  const add = (since: ReadonlyMap<string, Usage>) => {
    for (const [name, usage] of since) total.set(name, addTokens(total.get(name) ?? {}, usage))
    report({ byModel: Object.fromEntries(total), sinceLast: Object.fromEntries(since) })
  }

  const report = (counts: {
    byModel: Record<string, Usage>
    sinceLast?: Record<string, Usage>
  }) => {
    reportedCost = cost
    // The protocol defines the cost as that of the session, also after it was loaded.
    const money = cost === undefined ? {} : { costUsd: cost, counts: 'conversation' as const }
    emit({ type: 'session_update', reported: { ...counts, ...money } })
  }

  return {
    call(value) {
      const usage = usageIn(value, session.dialect())
      if (usage && !messages.usage(usage)) add(new Map([[model(), usage]]))
    },
    update(fields) {
      session.context(fields)
      const { amount, currency } = fieldsOf(fields.cost)
      // Zero means that the agent has no price, or has not paid anything yet.
      if (currency === 'USD') cost = countOf(amount) || cost
    },
    prompt(result) {
      const dialect = session.dialect()
      const byModel = modelUsageIn(result, (value) => usageIn(value, dialect))
      const usage = usageIn(result.usage, dialect)
      if (byModel.size > 0) add(byModel)
      else if (usage && dialect.usageOf === 'last_call') messages.usage(usage)
      else if (usage && dialect.usageOf === 'prompt') add(new Map([[model(), usage]]))
      else if (usage) report({ byModel: { [model()]: usage } })
      if (cost !== reportedCost) report({ byModel: {} })
    },
  }
}

/** Some agents count by model in the metadata of the answer, also the calls that they do not show. */
const modelUsageIn = (
  result: Fields,
  read: (value: unknown) => Usage | undefined,
): Map<string, Usage> => {
  const { model_usage: list } = fieldsOf(fieldsOf(result._meta).quota)
  const byModel = new Map<string, Usage>()
  for (const each of listOf(list).map(fieldsOf)) {
    const usage = read(each.token_count)
    const model = stringOf(each.model)
    if (usage && model !== undefined) byModel.set(model, usage)
  }
  return byModel
}
