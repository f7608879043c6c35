import { parseArgs } from 'node:util'
import { didYouMean } from '../../base/schema/nearest-name.ts'
import { UsageError } from '../usage-error.ts'
import { COMMAND_NAMES, type CommandName, type Flag, type Input, specOf } from './command-table.ts'

type Values = Record<string, string | boolean | string[]>

/** Reads what was typed behind the name of a command, and refuses what its table has no line for. */
export function parseCommand<Name extends CommandName>(name: Name, argv: readonly string[]): Input<Name> {
  const { flags, operands: expected = [], optional } = specOf(name)
  // Not strict: Node's own errors suggest nothing. Everything that it would refuse is refused here.
  const { tokens } = parseArgs({ args: [...argv], options: flags, strict: false, allowPositionals: true, tokens: true })
  const values: Values = {}
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind === 'option') addValue(values, token, { name, flags })
  }
  const most = expected.length + (optional ? 1 : 0)
  if (operands.length > most) throw unexpected(name, operands[most]!)
  const missing = expected[operands.length]
  if (missing) throw new UsageError(`"gatehouse ${name}" needs ${missing}.${seeHelp(name)}`)
  return { values: values as Input<Name>['values'], operands }
}

type Option = { name: string; rawName: string; value?: string | undefined; inlineValue?: boolean | undefined }
type Command = { name: CommandName; flags: Readonly<Record<string, Flag>> }

function addValue(values: Values, { name, rawName, value, inlineValue }: Option, command: Command): void {
  const flag = Object.hasOwn(command.flags, name) ? command.flags[name]! : undefined
  if (!flag) throw unknownFlag(rawName, command)
  if (flag.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.${seeHelp(command.name)}`)
    values[name] = true
    return
  }
  if (value === undefined || value === '' || (!inlineValue && /^--?\w/.test(value)))
    throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.value}.${seeHelp(command.name)}`)
  if (flag.multiple) values[name] = [...((values[name] as string[] | undefined) ?? []), value]
  else if (name in values) throw new UsageError(`${rawName} may be given only once.${seeHelp(command.name)}`)
  else values[name] = value
}

function unknownFlag(rawName: string, { name, flags }: Command): UsageError {
  const hint = didYouMean(rawName, Object.keys(flags), '--')
  return new UsageError(`"gatehouse ${name}" has no option ${rawName}.${hint}${seeHelp(name)}`)
}

/** A further word may be a mistyped second word of a command, as in `webhook-key rotat`. */
function unexpected(name: CommandName, word: string): UsageError {
  const longer = COMMAND_NAMES.filter((one) => one.startsWith(`${name} `))
  const hint = didYouMean(`${name} ${word}`, longer, 'gatehouse ')
  return new UsageError(`"gatehouse ${name}" does not take '${word}'.${hint}${seeHelp(name)}`)
}

function seeHelp(name: CommandName): string {
  return ` See \`gatehouse ${name} --help\`.`
}
