interface Props {
  /** What failed; left out where the user sees it from the form. */
  title?: string
  /** Why it failed; undefined while nothing has. */
  reason: string | undefined
}

/** An error, if there is one. Screen readers read it as soon as it appears. */
export const ProblemMessage = ({ title, reason }: Props) =>
  reason !== undefined && (
    <p className="error-message" role="alert">
      {title === undefined ? reason : `${title}: ${reason}`}
    </p>
  )
