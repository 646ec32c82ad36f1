/** The reason alone, without the error code, the system call and the path. */
export const systemReason = ({ message }: Error): string =>
  message.replace(/^[A-Z]+: |, \w+( '.*')?$/g, '')
