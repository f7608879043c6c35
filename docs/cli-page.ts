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
  const shown = ['```sh', ...examples.map((example) => `npx ${example}`), '```'].join('\n')
  return [`## ${usageOf(name)}\n`, `${text}\n`, table(['option', 'meaning'], rows), `${shown}\n`].join('\n')
}

const HEAD = `# The command line

<!-- Written by \`npm run docs\` from src/cli/command-line/command-table.ts. Do not edit. -->

${code('npx gatehouse --help')} lists the commands, and ${code('--help')} behind a command its options; ${code('npx gatehouse --version')} prints the version. A command
without a name is ${code('serve')}. Commands work on the database directly, so no gateway has to run. They exit with 0, or with 1 and a sentence that
says what to do. Mistyped commands, options and settings are answered with the name that was probably meant.
`
