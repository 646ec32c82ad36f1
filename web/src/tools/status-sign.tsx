import type { ToolStatus } from '../../../src/events/types.ts'
import { Icon } from '../parts/icon.tsx'

const words: Record<ToolStatus, string> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  interrupted: 'interrupted',
}

/** How a tool stands, as a sign with a word for those who cannot see it. */
export const StatusSign = ({ status }: { status: ToolStatus }) => (
  <span className={`status-sign status-${status}`} role="img" aria-label={words[status]}>
    {status === 'running' ? <span className="spinner" /> : <SignIcon status={status} />}
  </span>
)

const SignIcon = ({ status }: { status: ToolStatus }) => {
  if (status === 'done') return <Icon name="check" />
  return <Icon name={status === 'failed' ? 'close' : 'stop'} />
}
