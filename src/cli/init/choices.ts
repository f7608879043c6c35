import { ConfigError } from '../../platform/config/config-error.ts'
import { SETTINGS } from '../../platform/config/settings.ts'
import { PROVIDERS } from '../../platform/providers/providers.ts'
import { didYouMean } from '../../base/schema/nearest-name.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

/** What the config file will say. A member that is absent keeps its default. */
export type Choices = {
  host?: string
  port?: string
  dataDir?: string
  databaseUrl?: string
  region?: string
  providers: readonly string[]
}

type Question = { name: keyof Choices; flag: keyof Input<'init'>['values']; text: string; fallback: string }

const QUESTIONS: readonly Question[] = [
  { name: 'host', flag: 'host', text: 'Address of the API (0.0.0.0 for other machines too)', fallback: '127.0.0.1' },
  { name: 'port', flag: 'port', text: 'Port of the API', fallback: '8080' },
  { name: 'dataDir', flag: 'data-dir', text: 'Folder for the data', fallback: './data' },
  {
    name: 'databaseUrl',
    flag: 'database-url',
    text: 'PostgreSQL address (empty: the embedded database)',
    fallback: '',
  },
  { name: 'region', flag: 'region', text: 'Region of keys that name none (global, eu, us)', fallback: 'global' },
  { name: 'providers', flag: 'provider', text: 'Providers, separated by commas (empty: none yet)', fallback: '' },
]

/** Takes what the flags say, and asks for the rest if a person is at the terminal. */
export async function choose({ values }: Input<'init'>, { ask, remark }: Terminal): Promise<Choices> {
  const choices: Record<string, unknown> = { providers: [] }
  for (const question of QUESTIONS) {
    const typed = values[question.flag]
    const given = Array.isArray(typed) ? typed.join(',') : (typed as string | undefined)
    const answer = given ?? (ask && !values.yes ? await askUntilValid(question, ask, remark) : '')
    if (answer !== '') choices[question.name] = read(question, answer)
  }
  return choices as Choices
}

async function askUntilValid(question: Question, ask: NonNullable<Terminal['ask']>, remark: Terminal['remark']) {
  const { text, fallback } = question
  for (;;) {
    const answer = (await ask(fallback ? `${text} [${fallback}]: ` : `${text}: `)).trim()
    try {
      if (answer !== '') read(question, answer)
      return answer
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      remark(`${error.message}\n`)
    }
  }
}

/** Settings are checked as at a start, and kept as they were typed. */
function read({ name, flag }: Question, answer: string): string | string[] {
  if (name === 'providers') return answer.split(',').map(providerNamed)
  try {
    SETTINGS[name].read(answer)
    return answer
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new UsageError(`--${flag}: ${error.message}`)
  }
}

function providerNamed(text: string): string {
  const name = text.trim().toLowerCase()
  const id = Object.hasOwn(PROVIDERS, name) ? name : aliased(name)
  if (id) return id
  const names = [...Object.keys(PROVIDERS), ...Object.values(PROVIDERS).flatMap(({ aliases = [] }) => aliases)]
  throw new UsageError(
    `--provider: there is no provider '${name}'.${didYouMean(name, names)} docs/settings.md lists all.`,
  )
}

function aliased(name: string): string | undefined {
  return Object.entries(PROVIDERS).find(([, { aliases = [] }]) => aliases.includes(name))?.[0]
}
