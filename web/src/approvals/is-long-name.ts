/** Whether a name is too long for a title: then the card shows it where it can be read whole. */
export const isLongName = (name: string | undefined): name is string =>
  name !== undefined && (name.length > 80 || name.includes('\n'))
