interface Props {
  /** What the button that sends the form says. */
  submitLabel: string
  isDisabled: boolean
  onClose(): void
}

/** The buttons of a form in a dialog: Cancel, and the one that sends the form. */
export const DialogFooter = ({ submitLabel, isDisabled, onClose }: Props) => (
  <footer>
    <button type="button" onClick={onClose}>
      Cancel
    </button>
    <button type="submit" className="primary" disabled={isDisabled}>
      {submitLabel}
    </button>
  </footer>
)
