import { ConfigError } from '../config/config-error.ts'
import { StoreUnavailable } from '../store/database.ts'
import { SigningKeyError } from '../webhooks/signing-key.ts'
import { keys } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { serve } from './serve.ts'
import { UsageError } from './usage-error.ts'
import { webhookKey } from './webhook-key.ts'

const COMMANDS: Record<string, (argv: string[]) => Promise<number>> = {
  serve,
  keys,
  migrate: migrateCommand,
  'webhook-key': webhookKey,
}

const HELP = `Gatehouse: one authenticated HTTP API in front of every AI provider.

Usage: gatehouse <command> [options]

  serve                            start the gateway (what \`npm start\` does)
       [--role all|api|worker]     api: no jobs here; worker: only jobs and webhooks
  keys create --name NAME          issue a key; it is shown once
       [--kind live|sandbox|admin] [--owner O] [--region global|eu|us]
       [--scope S]… [--expires-at 2027-01-31T00:00:00Z]
  keys list                        all keys, without their secrets
  keys revoke ID                   take a key back; takes effect within 5 s everywhere
  migrate                          bring the database up to date and stop
  webhook-key                      print the public key that verifies our webhooks
  webhook-key rotate               make a new one; running processes use it after a restart

Settings come from the environment and from gatehouse.config.json: see README.md.
`

export async function run(argv: string[]): Promise<number> {
  const [name = '--help', ...rest] = argv
  if (name === '--help' || name === '-h' || name === 'help') return say(HELP)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) return complain(`There is no command '${name}'.\n\n${HELP}`)
  if (rest.includes('--help') || rest.includes('-h')) return say(HELP)
  try {
    return await command(rest)
  } catch (error) {
    if (isExpected(error)) return complain(`${(error as Error).message}\n`)
    throw error
  }
}

/** Wrong options; a folder or a port that this user may not have. */
const EXPECTED_CODES = /^(?:ERR_PARSE_ARGS_|EACCES$|EEXIST$|ENOTDIR$|EROFS$|ENOSPC$)/

/** Mistakes of the operator, or a database that is away: one sentence, no stack. */
function isExpected(error: unknown): boolean {
  const kinds = [ConfigError, SigningKeyError, UsageError, StoreUnavailable]
  if (kinds.some((kind) => error instanceof kind)) return true
  return error instanceof Error && 'code' in error && EXPECTED_CODES.test(String(error.code))
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

function complain(text: string): number {
  process.stderr.write(`gatehouse: ${text}`)
  return 1
}
