import { didYouMean } from '../../base/schema/nearest-name.ts'
import { UsageError } from '../usage-error.ts'
import { COMMAND_NAMES, type CommandName } from './command-table.ts'

type Found = { name: CommandName; argv: string[] }

/** The command that the first words name, and what follows them. Without a command, the gateway is started. */
export function findCommand(argv: readonly string[]): Found {
  const [first, second] = argv
  if (first === undefined || first.startsWith('-')) return { name: 'serve', argv: [...argv] }
  const two = COMMAND_NAMES.find((name) => name === `${first} ${second}`)
  if (two) return { name: two, argv: argv.slice(2) }
  const one = COMMAND_NAMES.find((name) => name === first)
  if (one) return { name: one, argv: argv.slice(1) }
  throw unknownCommand(first, second)
}

/** The commands whose names begin with these words, for their help. */
export function commandsOf(words: readonly string[]): CommandName[] {
  const start = words.filter((word) => !word.startsWith('-')).slice(0, 2)
  const exact = COMMAND_NAMES.filter((name) => name === start.join(' '))
  const group = COMMAND_NAMES.filter((name) => name.split(' ')[0] === start[0])
  return start.length < 2 ? group : exact.length > 0 ? exact : group
}

function unknownCommand(first: string, second: string | undefined): UsageError {
  const inGroup = commandsOf([first])
  if (inGroup.length > 0 && (second === undefined || second.startsWith('-')))
    return new UsageError(`"gatehouse ${first}" needs one of these words: ${secondWords(inGroup).join(', ')}.`)
  const typed = inGroup.length > 0 ? `${first} ${second}` : first
  const names = inGroup.length > 0 ? inGroup : new Set(COMMAND_NAMES.map((name) => name.split(' ')[0]!))
  return new UsageError(
    `There is no command '${typed}'.${didYouMean(typed, names, 'gatehouse ')} \`gatehouse --help\` lists all commands.`,
  )
}

function secondWords(names: readonly CommandName[]): string[] {
  return names.flatMap((name) => name.split(' ').slice(1))
}
