import { Command } from 'commander'
import { expect, test } from 'vitest'
import { withDashPrompt } from '../../src/cli/verbs/dash-prompt.ts'

const run = new Command('run').option('--model <model>').option('--trust')

test.each([
  ['run pi hello', ['run', 'pi', 'hello']],
  ['run pi|- add a test', ['run', 'pi', '--', '- add a test']],
  ['run pi|--- a|--model m', ['run', 'pi', '--model', 'm', '--', '--- a']],
  ['run pi --trust|-x is wrong|-- --flag', ['run', 'pi', '--trust', '--', '-x is wrong', '--flag']],
  ['run pi --model|- odd name|hello', ['run', 'pi', '--model', '- odd name', 'hello']],
  ['run pi|--model=two words|hello', ['run', 'pi', '--model=two words', 'hello']],
  ['run pi --|- add a test', ['run', 'pi', '--', '- add a test']],
  ['run pi -x', ['run', 'pi', '-x']],
  ['decode pi|- odd file', ['decode', 'pi', '- odd file']],
])('%s', (line, expected) => {
  // `|` divides the arguments that have blanks.
  const argv = line.split('|').flatMap((part) => (isOne(part) ? [part] : part.split(' ')))
  expect(withDashPrompt(argv, run)).toEqual(expected)
})

const isOne = (part: string): boolean => /^(- |--- |-x |--model=)/.test(part)
