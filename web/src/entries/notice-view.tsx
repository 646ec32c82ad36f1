import type { NoticeEntry } from '../../../src/transcript/index.ts'
import { adviceForError } from './advice.ts'

/** An error with advice on what to do next, a warning, or an informational notice. */
export const NoticeView = ({ entry }: { entry: NoticeEntry }) => {
  const { level, text, code } = entry
  const advice = code && adviceForError(code, text)
  return (
    <div className={`notice notice-${level === 'error' ? 'error' : 'info'}`}>
      <p>{text}</p>
      {advice !== undefined && <p className="advice">{advice}</p>}
    </div>
  )
}
