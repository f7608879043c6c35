import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Environment } from '../../platform/config/environment.ts'
import { UsageError } from '../usage-error.ts'
import { type CommandName, specOf } from './command-table.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * The environment of a command: its flags win over variables, and variables over the lines of --env-file. Those lines become
 * variables of the process, so that API processes, which it starts later, begin with the same ones.
 */
export function environmentOf(name: CommandName, values: Values, environment: Environment): Environment {
  const files = (values['env-file'] ?? []) as readonly string[]
  if (!cluster.isWorker) {
    const lines = Object.assign({}, ...files.map(readEnvFile)) as NodeJS.Dict<string>
    for (const [variable, value] of Object.entries(lines)) environment[variable] ??= value
  }
  const replaced = Object.entries(specOf(name).flags).flatMap(([flag, { variable }]) => {
    const value = values[flag]
    return variable && typeof value === 'string' ? [[variable, value]] : []
  })
  return replaced.length === 0 ? environment : { ...environment, ...Object.fromEntries(replaced) }
}

function readEnvFile(file: string): NodeJS.Dict<string> {
  const text = readText(file)
  const line = firstWrongLine(text)
  if (line !== undefined)
    throw new UsageError(`${file}: line ${line} is neither NAME=value nor a comment that begins with #.`)
  return parseEnv(text)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${file}: cannot be read (${code}). Check the path in --env-file.`)
  }
}

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_.-]*\s*=\s*(["'`]?)(.*)$/

/** Node skips lines that it does not understand. A value between quotes may have several lines. */
function firstWrongLine(text: string): number | undefined {
  let quote = ''
  for (const [index, line] of text.split('\n').entries()) {
    if (quote !== '') {
      if (line.includes(quote)) quote = ''
      continue
    }
    const [isAssignment, opened = '', rest = ''] = ASSIGNMENT.exec(line) ?? []
    if (isAssignment === undefined && !/^\s*(#|$)/.test(line)) return index + 1
    if (opened !== '' && !rest.includes(opened)) quote = opened
  }
  return undefined
}
