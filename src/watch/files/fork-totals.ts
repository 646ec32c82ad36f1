import type { AgentEvent, EventOf, ReportedUsage, StampedEvent, Usage } from '../../events/types.ts'
import { type TokenKind, tokenKinds } from '../../events/usage-sums.ts'

type Report = EventOf<'session_update'>

/** Whether an event has the totals of a conversation, as the agent counts them. */
export const isReport = (
  event: AgentEvent | StampedEvent,
): event is Report & { reported: ReportedUsage } =>
  event.type === 'session_update' &&
  event.reported !== undefined &&
  event.reported.counts !== 'conversation'

/** The totals of a copy without those that it began with. */
export const withoutInherited = (
  reported: ReportedUsage,
  inherited: ReportedUsage,
): ReportedUsage => {
  const { costUsd, byModel } = reported
  return {
    ...reported,
    ...(costUsd !== undefined && { costUsd: difference(costUsd, inherited.costUsd) }),
    byModel: Object.fromEntries(
      Object.entries(byModel).map(([model, usage]) => {
        const before = Object.hasOwn(inherited.byModel, model)
          ? inherited.byModel[model]
          : undefined
        return [model, before ? usageWithout(usage, before) : usage]
      }),
    ),
  }
}

/** The totals of a copy of a copy: those of both. */
export const sumOf = (left: ReportedUsage, right: ReportedUsage | undefined): ReportedUsage => {
  if (!right) return left
  const byModel = { ...right.byModel }
  for (const [model, usage] of Object.entries(left.byModel)) {
    const other = Object.hasOwn(byModel, model) ? byModel[model] : undefined
    byModel[model] = other ? combined(usage, other, (a, b) => a + b) : usage
  }
  return { ...left, costUsd: (left.costUsd ?? 0) + (right.costUsd ?? 0), byModel }
}

const difference = (now: number, before = 0): number => Math.max(0, now - before)

const usageWithout = (now: Usage, before: Usage): Usage => combined(now, before, difference)

const combined = (
  left: Usage,
  right: Usage,
  combine: (left: number, right: number) => number,
): Usage => {
  const result: Usage = { ...left }
  for (const kind of tokenKinds satisfies readonly TokenKind[])
    if (left[kind] !== undefined) result[kind] = combine(left[kind], right[kind] ?? 0)
  if (left.cost) result.cost = { total: combine(left.cost.total, right.cost?.total ?? 0) }
  return result
}
