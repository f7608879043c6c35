import { OWN_TERMINAL, type Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

type Command = (argv: string[], terminal: Terminal) => Promise<number>

/** Commands are loaded on demand, so that help and small commands do not wait for the whole gateway. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  keys: async () => (await import('./keys.ts')).keys,
  backup: async () => (await import('./backup.ts')).backup,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  catalog: async () => (await import('./catalog.ts')).catalog,
  explain: async () => (await import('./explain.ts')).explainCommand,
  'webhook-key': async () => (await import('./webhook-key.ts')).webhookKey,
}

const HELP = `Gatehouse: one authenticated HTTP API in front of every AI provider.

Usage: gatehouse <command> [options]

  serve                            start the gateway; also without any command
       [--role all|api|worker]     api: run no jobs; worker: run only jobs and webhooks
  keys create --name NAME          create a key and show the key once
       [--kind live|sandbox|admin] [--owner O] [--region global|eu|us]
       [--scope S]… [--expires-at 2027-01-31T00:00:00Z]
  keys list                        list all keys without their secrets
  keys revoke ID                   revoke a key; all processes refuse the key within 5 s
  explain FILE                     show what a chat request would do: the models in order, the body for each
       [--key ID | --region R]     model, and the cost; calls no provider; FILE may be - for stdin
  catalog check                    check the model catalog: rows, prices, sources
  catalog update [FILE|URL]        take over a newer signed catalog; running processes use it within seconds
  catalog key FILE                 create a key that signs catalogs
  catalog sign FOLDER --key FILE   sign a catalog of your own: a folder of <provider>.json files
       [--out FILE] [--dated 2027-01-31T00:00:00Z]
  backup FILE                      copy the embedded database to a new file, also while the gateway runs
  migrate                          update the database schema and exit
       [--vacuum]                  also rewrite an SQLite file without its free space; needs a stopped gateway
  webhook-key                      print the public key that verifies webhooks (RSA)
  webhook-key ed25519              print the public key that verifies signed timestamps (Ed25519)
  webhook-key rotate               create new keys; running processes use them within seconds

Gatehouse reads settings from the environment and from gatehouse.config.json: see docs/settings.md.
`

export async function run(argv: string[], terminal = OWN_TERMINAL): Promise<number> {
  const [name = 'serve', ...rest] = argv
  if (name === '--help' || name === '-h' || name === 'help') return say(HELP, terminal)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) return complain(`There is no command '${name}'.\n\n${HELP}`, terminal)
  if (rest.includes('--help') || rest.includes('-h')) return say(HELP, terminal)
  try {
    return await (await command())(rest, terminal)
  } catch (error) {
    if (isExpected(error)) return complain(`${(error as Error).message}\n`, terminal)
    throw error
  }
}

/** Invalid options, or a folder or port that this user may not use. */
const EXPECTED_CODES = /^(?:ERR_PARSE_ARGS_|EACCES$|EEXIST$|ENOTDIR$|EROFS$|ENOSPC$)/

/** Mistakes of the operator and an unavailable database are reported in one sentence, without a stack. */
function isExpected(error: unknown): boolean {
  if (error instanceof UsageError) return true
  if (!(error instanceof Error)) return false
  return EXPECTED_NAMES.has(error.name) || ('code' in error && EXPECTED_CODES.test(String(error.code)))
}

/** Errors are recognized by name, because their classes are in modules that a small command does not load. */
const EXPECTED_NAMES: ReadonlySet<string> = new Set([
  'BackupError',
  'CatalogError',
  'ConfigError',
  'Problem',
  'SigningKeyError',
  'StoreTooNew',
  'StoreUnavailable',
])

function say(text: string, { print }: Terminal): number {
  print(text)
  return 0
}

function complain(text: string, { remark }: Terminal): number {
  remark(`gatehouse: ${text}`)
  return 1
}
