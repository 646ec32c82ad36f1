/** Runs what others have asked for: whatever they throw is told, and stops nobody. */
export const catchErrors =
  (onError: (cause: unknown) => void) =>
  (run: () => void): void => {
    try {
      run()
    } catch (cause) {
      onError(cause)
    }
  }
