import { type Command, Help, type HelpConfiguration, type Option } from 'commander'
import { cleanText } from './clean-text.ts'

const plain = new Help()

/** Lists commands by name, and leaves out defaults that say nothing. */
export const helpForm: HelpConfiguration = {
  subcommandTerm: (command: Command) => command.name(),
  optionDescription: (option: Option) =>
    plain
      .optionDescription(option)
      .replace(/ \(default: (?:false|\[\])\)$/, '')
      .replace(JSON.stringify(process.cwd()), 'this one'),
}

/** Prints errors in the arguments like every other error. */
export const errorForm = {
  outputError: (text: string, write: (text: string) => void) =>
    write(cleanText(text.replace(/^error: /, 'sluice: '), { isColoured: false })),
}

/** After an error, points to the help of the command that was used. */
export const hintAt = (command: Command, path: string = command.name()): void => {
  command.showHelpAfterError(`Run ${path} --help for help.`)
  for (const each of command.commands) hintAt(each, `${path} ${each.name()}`)
}
