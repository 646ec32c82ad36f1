import { type Command, Help, type HelpConfiguration, type Option } from 'commander'

const plain = new Help()

/** Commands by their names alone; a default only where it says something. */
export const helpForm: HelpConfiguration = {
  subcommandTerm: (command: Command) => command.name(),
  optionDescription: (option: Option) =>
    plain
      .optionDescription(option)
      .replace(/ \(default: (?:false|\[\])\)$/, '')
      .replace(JSON.stringify(process.cwd()), 'the current one'),
}

/** Mistakes in the arguments are told as all others are. */
export const errorForm = {
  outputError: (text: string, write: (text: string) => void) =>
    write(text.replace(/^error: /, 'sluice: ')),
}

/** Whoever made a mistake is shown the help of the very command. */
export const hintAt = (command: Command, path: string = command.name()): void => {
  command.showHelpAfterError(`(${path} --help tells more)`)
  for (const each of command.commands) hintAt(each, `${path} ${each.name()}`)
}
