import type { NoticeEntry } from '../../../src/transcript/index.ts'
import { adviceForCode, adviceForMessage } from './advice.ts'

/** An error with advice on what to do next, a warning, or an informational notice. */
export const NoticeView = ({ entry }: { entry: NoticeEntry }) => {
  const { level, text, code } = entry
  const advice = code && (adviceForMessage(text) ?? adviceForCode(code))
  return (
    <div className={`notice notice-${level === 'error' ? 'error' : 'info'}`}>
      <p>{text}</p>
      {advice !== undefined && <p className="advice">{advice}</p>}
    </div>
  )
}
