/** Text that screen readers read whenever it changes; it must not contain a running clock. */
export const Announce = ({ text }: { text: string }) => (
  <span className="visually-hidden" role="status">
    {text}
  </span>
)
