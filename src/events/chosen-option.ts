import type { ApprovalAction, DecisionKind, DecisionOption } from './types.ts'

/** A decision about a request, as far as options matter. */
interface ChosenDecision {
  action: ApprovalAction
  optionId?: string
}

/**
 * The option of an approval request that a decision means: the named one, or the plainest of its kind.
 * Undefined if there is none. Allowing once never becomes allowing always.
 */
export const chosenOption = (
  options: readonly DecisionOption[],
  { action, optionId }: ChosenDecision,
): DecisionOption | undefined => {
  if (optionId !== undefined) return options.find(({ id }) => id === optionId)
  return plainKinds[action].flatMap((kind) => options.filter((each) => each.kind === kind))[0]
}

/** What a decision without an option means, the best kind first. */
const plainKinds: Record<ApprovalAction, readonly DecisionKind[]> = {
  allow: ['allow_once'],
  deny: ['reject_once', 'stop', 'reject_always'],
}

/** The options of an approval request, as a person chooses among them. */
export interface OptionChoices {
  /** What a plain “yes” stands for. */
  allow: DecisionOption | undefined
  /** What a plain “no” stands for. */
  deny: DecisionOption | undefined
  /** All others, in the agent’s order. */
  others: DecisionOption[]
}

/** Which options a plain answer stands for, and which a person must choose by their labels. */
export const optionChoices = (options: readonly DecisionOption[]): OptionChoices => {
  const allow = options.find(({ kind }) => kind === 'allow_once')
  const deny = options.find(({ kind }) => kind === 'reject_once')
  return { allow, deny, others: options.filter((each) => each !== allow && each !== deny) }
}

/** Whether choosing an option allows the request. */
export const allows = ({ kind }: Pick<DecisionOption, 'kind'>): boolean =>
  kind === 'allow_once' || kind === 'allow_always'

/**
 * Whether a request with these options can be answered so. It can always be denied. It can be allowed
 * without an option unless all that allow do more than that.
 */
export const offersDecision = (
  options: readonly DecisionOption[] | undefined,
  decision: ChosenDecision,
): boolean => {
  const { action, optionId } = decision
  const option = chosenOption(options ?? [], decision)
  if (optionId !== undefined) return option !== undefined && allows(option) === (action === 'allow')
  return action === 'deny' || option !== undefined || !options?.some(allows)
}
