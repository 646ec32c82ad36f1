import type { ErrorCode } from '../../../src/events/index.ts'
import type { NoticeEntry } from '../../../src/transcript/index.ts'
import { useSessionAgent } from '../agents/use-session-agent.ts'
import { useSession } from '../session/session-scope.ts'
import { adviceForError } from './advice.ts'

/** An error with advice on what to do next, a warning, or an informational notice. */
export const NoticeView = ({ entry }: { entry: NoticeEntry }) => {
  const { level, text, code } = entry
  return (
    <div className={`notice notice-${level === 'error' ? 'error' : 'info'}`}>
      <p>{text}</p>
      {code !== undefined && <ErrorAdvice code={code} text={text} />}
    </div>
  )
}

const ErrorAdvice = ({ code, text }: { code: ErrorCode; text: string }) => {
  const agent = useSessionAgent(useSession().id)
  const advice = adviceForError(code, text, agent)
  return advice !== undefined && <p className="advice">{advice}</p>
}
