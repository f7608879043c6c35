import { COMMAND_NAMES, COMMANDS, type CommandName, type CommandSpec } from '../src/cli/command-line/command-table.ts'
import { capitalized, flagText, flagUsage, usageOf } from '../src/cli/command-line/help.ts'
import { code, table } from './markdown.ts'

/** The text of docs/cli.md. */
export function cliPage(): string {
  return [HEAD, ...COMMAND_NAMES.map(section)].join('\n')
}

function section(name: CommandName): string {
  const { summary, details, flags, examples }: CommandSpec = COMMANDS[name]
  const rows = Object.entries(flags).map(([flag, spec]) => [code(flagUsage(flag, spec)), flagText(spec)])
  const text = `${capitalized(summary)}.${details ? ` ${details}` : ''}`
  const options = rows.length > 0 ? [table(['option', 'meaning'], rows)] : []
  // A variable may stand before the command.
  const shown = examples.map((example) => example.replace(/(?<=^|=\S+ )gatehouse /, 'npx gatehouse '))
  return [`## ${usageOf(name)}\n`, `${text}\n`, ...options, `${['```sh', ...shown, '```'].join('\n')}\n`].join('\n')
}

const HEAD = `# The command line

<!-- Written by \`npm run docs\` from src/cli/command-line/command-table.ts. Do not edit. -->

${code('npx gatehouse --help')} lists the commands, and ${code('--help')} behind a command its options; ${code('npx gatehouse version')} prints the version. Without
a command, ${code('npx gatehouse')} runs ${code('serve')}. Most commands work on the database directly, so no gateway has to run; ${code('logs')},
${code('batch')}, ${code('login')}, ${code('token')} and ${code('logout')} ask a running one. Commands exit with 0,
or with 1 and a sentence that says what to do. Mistyped commands, options, scopes and settings are answered with the name that was probably meant.
On a terminal, a command that takes longer than a second shows for how long it has been working, and how far it is if that is known; in a pipe or a file there
is nothing of that. ${code('gatehouse completion')} makes bash, zsh and fish complete commands and options.
`
