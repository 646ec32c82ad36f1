import type { ToolStatus } from '../../../src/events/types.ts'
import { Icon } from '../parts/icon.tsx'

const labels: Record<ToolStatus, string> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  interrupted: 'interrupted',
}

/** The status of a tool call as an icon, with a label for screen readers. */
export const StatusSign = ({ status }: { status: ToolStatus }) => (
  <span className={`status-sign status-${status}`} role="img" aria-label={labels[status]}>
    {status === 'running' ? <span className="spinner" /> : <SignIcon status={status} />}
  </span>
)

const SignIcon = ({ status }: { status: ToolStatus }) => {
  if (status === 'done') return <Icon name="check" />
  return <Icon name={status === 'failed' ? 'close' : 'stop'} />
}
