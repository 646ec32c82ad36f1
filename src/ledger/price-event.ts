import type { AgentEvent, EventOf, ReportedUsage, TokenCounts, Usage } from '../events/types.ts'
import type { Prices } from './prices.ts'

export interface PriceEventOptions {
  prices: Prices
  /** The model of a message; without a message, that of the main thread. */
  modelOf(messageId?: string): string
  /** The tokens that a message counts with, once this usage is added. */
  tokensOf(messageId: string, usage: Usage): TokenCounts
  /** The tokens of a report that no message showed, by model, if the agent reports no cost. */
  unseenIn(reported: ReportedUsage): Readonly<Record<string, TokenCounts>>
}

/** An event with the computed cost of its usage, if the agent reported tokens and no cost. */
export const priceEvent = (event: AgentEvent, options: PriceEventOptions): AgentEvent => {
  switch (event.type) {
    case 'message_update':
      return priceUpdate(event, options)
    case 'message_end':
      return priceMessage(event, options)
    case 'compaction_end': {
      const usage = event.usage && withCost(event.usage, event.usage, options.modelOf(), options)
      return usage ? { ...event, usage } : event
    }
    case 'session_update':
      return event.reported ? priceReport(event, event.reported, options) : event
    default:
      return event
  }
}

const priceReport = (
  event: EventOf<'session_update'>,
  reported: ReportedUsage,
  { prices, unseenIn }: PriceEventOptions,
): AgentEvent => {
  const costs = Object.entries(unseenIn(reported)).flatMap(([model, tokens]) => {
    const cost = prices.costOf(model, tokens)
    return cost ? [[model, { total: cost.usd, priceList: cost.list }] as const] : []
  })
  if (costs.length === 0) return event
  return { ...event, reported: { ...reported, computed: Object.fromEntries(costs) } }
}

const priceUpdate = (event: EventOf<'message_update'>, options: PriceEventOptions): AgentEvent => {
  const { messageId, assistantMessageEvent: update } = event
  if (update.type !== 'usage') return event
  const tokens = options.tokensOf(messageId, update.usage)
  const usage = withCost(update.usage, tokens, options.modelOf(messageId), options)
  return usage ? { ...event, assistantMessageEvent: { ...update, usage } } : event
}

const priceMessage = (event: EventOf<'message_end'>, options: PriceEventOptions): AgentEvent => {
  const { messageId, message } = event
  if (message.role !== 'assistant' || !message.usage || message.synthetic) return event
  const tokens = options.tokensOf(messageId, message.usage)
  const model = message.model ?? options.modelOf()
  const usage = withCost(message.usage, tokens, model, options)
  return usage ? { ...event, message: { ...message, usage } } : event
}

const withCost = (
  usage: Usage,
  tokens: TokenCounts,
  model: string,
  { prices }: PriceEventOptions,
): Usage | undefined => {
  if (usage.cost) return undefined
  const { cacheWrite1h } = usage
  const cost = prices.costOf(
    model,
    cacheWrite1h === undefined ? tokens : { ...tokens, cacheWrite1h },
  )
  return cost && { ...usage, cost: { total: cost.usd, priceList: cost.list } }
}
