/** Creates a function that runs callbacks of others: an error they throw is reported, not thrown. */
export const catchErrors =
  (onError: (cause: unknown) => void) =>
  (run: () => void): void => {
    try {
      run()
    } catch (cause) {
      onError(cause)
    }
  }
