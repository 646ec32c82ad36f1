import { useMemo } from 'react'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { type RulesSource, RulesView } from '../rules/rules-view.tsx'

/** The rules that hold for a session: its own, and those of its project. */
export const RulesPanel = ({ id }: { id: string }) => {
  const { client, followed } = useApp()
  const { transcript } = useStore(followed.of(id))
  const source = useMemo<RulesSource>(
    () => ({
      list: () => client.rules.ofSession(id),
      add: (rule) =>
        withPasskey(client, { kind: 'rule', id }, (options) =>
          client.rules.addToSession(id, rule, options),
        ),
      remove: (rule) =>
        withPasskey(client, { kind: 'rule', id }, (options) =>
          client.rules.removeFromSession(id, rule.id, options),
        ),
    }),
    [client, id],
  )
  return (
    <div className="panel-body">
      {/* An answer to an approval may have added a rule. */}
      <RulesView source={source} scopes={scopes} version={transcript?.approvals} />
    </div>
  )
}

const scopes = ['session', 'project'] as const
