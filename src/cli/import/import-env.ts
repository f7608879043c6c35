import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { importEnv } from './env/import-env.ts'
import { countsOf, reportText } from './report.ts'
import { writeFiles } from './write-files.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { nextLine, outputLine, outputsOf } from './outputs.ts'

const MAX_BYTES = 1_024 * 1_024

/** Lists the providers that a .env file is enough for. With --apply, writes a config file for variables that have another name here. */
export async function importEnvCommand(
  { values, operands }: Input<'import env'>,
  { print }: Terminal,
): Promise<number> {
  const file = operands[0]!
  const { draft, findings, providers } = importEnv(readVariables(file))
  const outputs = outputsOf(draft, values)
  if (values.apply)
    await writeFiles(
      outputs.filter(({ state }) => state !== 'unchanged'),
      async () => {},
    )
  if (values.json) {
    const files = outputs.map(({ path, state }) => ({ path, state }))
    print(`${JSON.stringify({ counts: countsOf(findings), findings, files, providers }, null, 2)}\n`)
    return 0
  }
  print(reportText(findings))
  print(`\nproviders: ${providers.join(', ') || 'none'}\n`)
  for (const output of outputs) print(outputLine(output, values.apply === true))
  print(providers.length > 0 ? nextLine(outputs, values.apply === true, [file]) : NO_PROVIDER)
  return 0
}

const NO_PROVIDER =
  'No variable in this file is for a known provider. Next: add one, such as OPENAI_API_KEY, and run this again.\n'

function readVariables(file: string): Record<string, string | undefined> {
  if (statSync(file).size > MAX_BYTES) throw new UsageError(`${file} is larger than ${MAX_BYTES} bytes.`)
  return parseEnv(readFileSync(file, 'utf8'))
}
