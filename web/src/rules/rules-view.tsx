import { useEffect, useState } from 'react'
import type { ApprovalRule, RuleList } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { AddRuleForm, type RuleInput } from './add-rule-form.tsx'
import { RuleItem } from './rule-item.tsx'
import '../style/rules.css'

/** How the rules of a session or of a project are read and changed. */
export interface RulesSource {
  /** Returns the rules that hold. */
  list(): Promise<RuleList>
  /** Adds a rule. */
  add(rule: RuleInput): Promise<unknown>
  /** Removes a rule. */
  remove(rule: ApprovalRule): Promise<unknown>
}

interface Props {
  source: RulesSource
  /** Where rules can be added. */
  scopes: readonly ApprovalRule['scope'][]
  /** Changes whenever somebody may have changed the rules. */
  version: unknown
}

/** What runs without asking, what is always asked, and what is denied. */
export const RulesView = ({ source, scopes, version }: Props) => {
  const [resource] = useState(() => createResource(source.list))
  const { value, error } = useStore(resource)
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version may have other rules.
  useEffect(() => resource.load(), [resource, version])
  const change = async (request: Promise<unknown>) => {
    setProblem(undefined)
    try {
      await request
    } catch (cause) {
      setProblem(reasonOf(cause))
    }
    resource.load()
  }
  return (
    <>
      <ProblemMessage title="Could not load the rules" reason={error} />
      <ProblemMessage title="Could not change the rules" reason={problem} />
      {value?.warning !== undefined && <ProblemMessage reason={value.warning} />}
      {value && (
        <>
          {scopes.map((scope) => (
            <RuleSection
              key={scope}
              scope={scope}
              rules={value.rules.filter((rule) => rule.scope === scope)}
              onRemove={(rule) => void change(source.remove(rule))}
            />
          ))}
          <p className="panel-note">{modes[value.mode]}</p>
          <AddRuleForm scopes={scopes} onAdd={(rule) => change(source.add(rule))} />
        </>
      )}
    </>
  )
}

const modes: Record<RuleList['mode'], string> = {
  ask: 'A call that no rule covers needs your approval.',
  'allow-reads':
    'Tools that only read inside the project run without asking. Other calls that no rule covers need your approval.',
  'allow-edits':
    'Tools that read or edit files inside the project run without asking. Other calls that no rule covers need your approval.',
  allow: 'A call that no rule covers runs without asking.',
  deny: 'A call that no rule covers is denied.',
}

interface SectionProps {
  scope: ApprovalRule['scope']
  rules: readonly ApprovalRule[]
  onRemove: (rule: ApprovalRule) => void
}

const RuleSection = ({ scope, rules, onRemove }: SectionProps) => (
  <section>
    <h3>{titles[scope]}</h3>
    {rules.length === 0 ? (
      <p className="panel-empty">No rules.</p>
    ) : (
      <ul className="rules">
        {rules.map((rule) => (
          <RuleItem key={rule.id} rule={rule} onRemove={() => onRemove(rule)} />
        ))}
      </ul>
    )}
  </section>
)

const titles: Record<ApprovalRule['scope'], string> = {
  session: 'In this session, until the server stops',
  project: 'In all sessions of this project',
}
