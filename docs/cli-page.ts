import {
  COMMAND_NAMES,
  COMMANDS,
  type CommandName,
  type CommandSpec,
  type Flag,
} from '../src/cli/command-line/command-table.ts'
import { capitalized, flagText, flagUsage, usageOf } from '../src/cli/command-line/help.ts'
import { SETTINGS } from '../src/cli/command-line/shared-flags.ts'
import { code, table } from './markdown.ts'

/** The text of docs/cli.md. */
export function cliPage(): string {
  return [HEAD, ...COMMAND_NAMES.map(section)].join('\n')
}

function section(name: CommandName): string {
  const { summary, details, flags, examples }: CommandSpec = COMMANDS[name]
  const own = Object.entries(flags).filter(([flag, spec]) => COMMON[flag] !== spec)
  const rows = own.map(rowOf)
  const takesCommon = own.length < Object.keys(flags).length
  const text = `${capitalized(summary)}.${details ? ` ${details}` : ''}`
  const options = [
    ...(rows.length > 0 ? [table(['option', 'meaning'], rows)] : []),
    ...(takesCommon ? [`${rows.length > 0 ? 'And' : 'Options:'} the [common options](#common-options).\n`] : []),
  ]
  // A variable may stand before the command.
  const shown = examples.map((example) => example.replace(/(?<=^|=\S+ )gatehouse /, 'npx gatehouse '))
  return [`## ${usageOf(name)}\n`, `${text}\n`, ...options, `${['```sh', ...shown, '```'].join('\n')}\n`].join('\n')
}

function rowOf([flag, spec]: [string, Flag]): string[] {
  return [code(flagUsage(flag, spec)), flagText(spec)]
}

/** What nearly every command takes, and the page says once. */
const COMMON: Readonly<Record<string, Flag>> = SETTINGS

const HEAD = `# The command line

<!-- Written by \`npm run docs\` from src/cli/command-line/command-table.ts. Do not edit. -->

${code('npx gatehouse --help')} lists the commands, and ${code('--help')} behind a command its options; ${code('npx gatehouse version')} prints the version. Without
a command, ${code('npx gatehouse')} runs ${code('serve')}. Most commands work on the database directly, so no gateway has to run; ${code('logs')},
${code('batch')}, ${code('login')}, ${code('token')} and ${code('logout')} ask a running one. Commands exit with 0,
or with 1 and a sentence that says what to do. Mistyped commands, options, scopes and settings are answered with the name that was probably meant.
On a terminal, a command that takes longer than a second shows its progress; in a pipe or a file it does not. ${code('gatehouse completion')} makes bash, zsh and fish complete commands and options.

## Common options

Commands that read the settings take these. Flags win over environment variables, and those over the config file.

${table(['option', 'meaning'], Object.entries(COMMON).map(rowOf))}`
