import type { ApprovalRule } from '../../../src/api/index.ts'
import { Icon } from '../parts/icon.tsx'
import { Ago } from '../parts/relative-time.tsx'
import { Revealed } from '../parts/revealed.tsx'

interface Props {
  rule: ApprovalRule
  onRemove: () => void
}

/** One rule: what it does, which calls it covers, and who added it. */
export const RuleItem = ({ rule, onRemove }: Props) => {
  const { effect, tool, pattern, by, createdAt } = rule
  return (
    <li className="rule">
      <span className={`rule-effect rule-${effect}`}>{effectLabels[effect]}</span>
      <span className="rule-calls">
        <code>
          <Revealed text={tool} />
        </code>{' '}
        {pattern === undefined ? (
          'every call'
        ) : (
          <code className="rule-pattern">
            <Revealed text={pattern} isCollapsed />
          </code>
        )}
        <span className="rule-origin">
          Added
          {by !== undefined && (
            <>
              {' '}
              by <Revealed text={by} />
            </>
          )}
          {createdAt !== undefined && (
            <>
              {', '}
              <Ago at={createdAt} inSentence />
            </>
          )}
        </span>
      </span>
      <button
        type="button"
        className="quiet-button"
        aria-label={`Remove the rule for ${tool} ${pattern ?? ''}`.trim()}
        title="Remove"
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

/** What a rule does, in a word. */
export const effectLabels: Record<ApprovalRule['effect'], string> = {
  allow: 'Allow',
  ask: 'Ask',
  deny: 'Deny',
}
