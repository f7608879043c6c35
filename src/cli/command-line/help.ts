import { COMMAND_NAMES, type CommandName, type Flag, specOf } from './command-table.ts'

/** The help of the whole program. */
export function generalHelp(): string {
  return `Gatehouse: one authenticated HTTP API in front of every AI provider.

Usage: gatehouse <command> [options]

${columns(COMMAND_NAMES.map((name) => [usageOf(name), specOf(name).summary]))}

  --help, -h                  show this help; behind a command, its options
  --version, -v               print the version

Gatehouse reads settings from the environment and from gatehouse.config.json or gatehouse.config.yaml: see docs/settings.md.
`
}

/** The help of one command, or of all that begin with the same word. */
export function helpOf(names: readonly CommandName[]): string {
  return names.map(commandHelp).join('\n')
}

function commandHelp(name: CommandName): string {
  const { summary, details, flags, examples } = specOf(name)
  return `Usage: gatehouse ${usageOf(name)}${Object.keys(flags).length > 0 ? ' [options]' : ''}

${capitalized(summary)}.${details ? ` ${details}` : ''}

${flagLines(flags)}Examples:

${examples.map((example) => `  ${example}`).join('\n')}
`
}

function flagLines(flags: Readonly<Record<string, Flag>>): string {
  const rows = Object.entries(flags).map(([flag, spec]) => [flagUsage(flag, spec), flagText(spec)] as const)
  return rows.length === 0 ? '' : `${columns(rows)}\n\n`
}

/** A command with its operands. docs/cli.md uses it as a heading. */
export function usageOf(name: CommandName): string {
  const { operands = [], optional } = specOf(name)
  return [name, ...operands, ...(optional ? [`[${optional}]`] : [])].join(' ')
}

export function flagUsage(name: string, { value }: Flag): string {
  return value ? `--${name} ${value}` : `--${name}`
}

export function flagText({ about, variable }: Flag): string {
  return variable ? `${about} (${variable})` : about
}

const MIN_WIDTH = 27

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(MIN_WIDTH, ...rows.map(([left]) => left.length + 2))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n')
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
