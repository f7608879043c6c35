import { didYouMean } from '../../base/schema/nearest-name.ts'
import { type Input, SHELLS } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** `gatehouse completion` prints a script for a shell. All of them are made from the table of commands. */
export async function printCompletion({ operands }: Input<'completion'>, { print }: Terminal): Promise<number> {
  const [name = ''] = operands
  const shell = SHELLS.find((one) => one === name)
  if (!shell) throw new UsageError(`SHELL should be one of ${SHELLS.join(', ')}.${didYouMean(name, SHELLS)}`)
  print(SCRIPTS[shell]())
  return 0
}
