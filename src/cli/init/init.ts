import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseConfig } from '../../platform/config/config.ts'
import { DEFAULT_FILES } from '../../platform/config/config-source.ts'
import { readYaml } from '../../platform/config/read-yaml.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { type Choices, choose } from './choices.ts'
import { configText, variablesFor } from './config-text.ts'

const DEFAULT_OUTPUT = 'gatehouse.config.yaml'
/** The address of a database holds a password. */
const OWNER_ONLY = 0o600

export async function init(input: Input<'init'>, terminal: Terminal): Promise<number> {
  const { output = DEFAULT_OUTPUT, force = false } = input.values
  if (!/\.ya?ml$/i.test(output)) throw new UsageError('--output must end with .yaml: a JSON file cannot have comments.')
  if (!force) refuseToReplace(output)
  const choices = await choose(input, terminal)
  const text = configText(choices)
  // The command must not write a file that the gateway refuses.
  parseConfig({ environment: {}, file: { path: resolve(output), content: readYaml(text) as Record<string, unknown> } })
  await writeFile(output, text, { flag: force ? 'w' : 'wx', mode: OWNER_ONLY })
  terminal.print(nextSteps(output, choices))
  return 0
}

/** A second default file would keep the gateway from starting. */
function refuseToReplace(output: string): void {
  const isDefault = resolve(output) === resolve(DEFAULT_OUTPUT)
  const names = isDefault ? DEFAULT_FILES.map((name) => join(dirname(output), name)) : [output]
  const present = names.find((name) => existsSync(name))
  if (present)
    throw new UsageError(`${present} exists already. Name another file with --output, or replace it with --force.`)
}

function nextSteps(output: string, { providers }: Choices): string {
  const variables = [...new Set(providers.flatMap(variablesFor))]
  const flag = output === DEFAULT_OUTPUT ? '' : ` --config ${output}`
  const keys =
    variables.length > 0 ? [`  1. Set ${variables.join(', ')} in the environment or in a file for --env-file.`] : []
  const steps = [
    ...keys,
    `  ${keys.length + 1}. gatehouse doctor${flag}`,
    `  ${keys.length + 2}. gatehouse serve${flag}`,
  ]
  return `Wrote ${output}. Next:\n\n${steps.join('\n')}\n`
}
