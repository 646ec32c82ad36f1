import { Fold } from '../parts/fold.tsx'

interface Props {
  foldKey: string
  message: string
  /** The error as the agent reports it, if the message is only a part of it. */
  details?: string | undefined
  /** What to do next. */
  advice: string | undefined
}

/** An error in plain words, with what to do next. What the agent reported word for word is folded. */
export const ErrorNotice = ({ foldKey, message, details, advice }: Props) => (
  <div className="notice notice-error">
    <p>{message}</p>
    {advice !== undefined && <p className="advice">{advice}</p>}
    {details !== undefined && (
      <Fold
        foldKey={`${foldKey}-error`}
        className="error-details"
        isOpenAtFirst={false}
        head="Details"
      >
        {() => <pre>{details}</pre>}
      </Fold>
    )}
  </div>
)
