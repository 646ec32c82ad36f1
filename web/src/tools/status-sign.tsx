import type { ToolStatus } from '../../../src/events/types.ts'
import { Icon } from '../parts/icon.tsx'

interface Props {
  status: ToolStatus
  /** What the call waits for, in words. */
  wait?: string | undefined
}

/** The status of a tool call as an icon, with a label for screen readers. */
export const StatusSign = ({ status, wait }: Props) => (
  <span
    className={`status-sign status-${wait === undefined ? status : 'waiting'}`}
    role="img"
    aria-label={wait ?? status}
  >
    {wait === undefined ? <SignIcon status={status} /> : <Icon name="clock" />}
  </span>
)

const SignIcon = ({ status }: { status: ToolStatus }) => {
  if (status === 'running') return <span className="spinner" />
  if (status === 'done') return <Icon name="check" />
  return <Icon name={status === 'failed' ? 'close' : 'stop'} />
}
