import type { Command } from 'commander'

/**
 * Puts a prompt such as “- add a test” behind `--`, where it is no option. Only a prompt has blanks;
 * one of a single word needs `--` before it.
 */
export const withDashPrompt = (argv: readonly string[], run: Command): readonly string[] => {
  if (argv[0] !== run.name()) return argv
  const dashes = argv.indexOf('--')
  const end = dashes === -1 ? argv.length : dashes
  const takesValue = new Set(run.options.flatMap(({ required, long }) => (required ? long : [])))
  const at = argv.findIndex(
    (each, index) => index < end && isDashPrompt(each) && !takesValue.has(argv[index - 1]),
  )
  if (at === -1) return argv
  const options = argv.slice(0, end).toSpliced(at, 1)
  return [...options, '--', ...argv.slice(at, at + 1), ...argv.slice(end + 1)]
}

const isDashPrompt = (argument: string): boolean =>
  /^-.*\s/s.test(argument) && !/^--[a-z-]+=/.test(argument)
