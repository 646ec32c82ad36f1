/** Said aloud to those who do not see it, when it changes. What ticks must not be in it. */
export const Announce = ({ text }: { text: string }) => (
  <span className="visually-hidden" role="status">
    {text}
  </span>
)
