import { GuardedApprovalCard } from '../approvals/guarded-approval-card.tsx'
import { useStore } from '../lib/use-store.ts'
import { Announce } from '../parts/announce.tsx'
import { useSession } from './session-scope.ts'
import '../style/low-screen.css'

/** The pending approvals of this session. */
export const PendingApprovals = () => {
  const transcript = useStore(useSession().transcript)
  const approvals = transcript?.approvals ?? []
  if (approvals.length === 0) return null
  return (
    <section className="dock-approvals" aria-label="Needs your input">
      <Announce
        text={
          approvals.length === 1
            ? 'The agent needs your input'
            : `${approvals.length} requests need your input`
        }
      />
      {approvals.map((approval) => (
        <GuardedApprovalCard key={approval.approvalId} approval={approval} />
      ))}
    </section>
  )
}
