import type { ToolStatus } from '../../../src/events/types.ts'
import { Icon } from '../parts/icon.tsx'

/** What a call is doing: its status, or that it waits for a person. */
type ShownStatus = ToolStatus | 'waiting'

const labels: Record<ShownStatus, string> = {
  running: 'running',
  waiting: 'waits for you',
  done: 'done',
  failed: 'failed',
  interrupted: 'interrupted',
}

/** The status of a tool call as an icon, with a label for screen readers. */
export const StatusSign = ({ status }: { status: ShownStatus }) => (
  <span className={`status-sign status-${status}`} role="img" aria-label={labels[status]}>
    {status === 'running' ? <span className="spinner" /> : <SignIcon status={status} />}
  </span>
)

const SignIcon = ({ status }: { status: ShownStatus }) => {
  if (status === 'done') return <Icon name="check" />
  if (status === 'waiting') return <Icon name="clock" />
  return <Icon name={status === 'failed' ? 'close' : 'stop'} />
}
