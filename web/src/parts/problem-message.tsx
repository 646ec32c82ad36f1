/** What went wrong, told at once to whoever hears the page. */
export const ProblemMessage = ({ text }: { text: string | undefined }) =>
  text !== undefined && (
    <p className="error-words" role="alert">
      {text}
    </p>
  )
