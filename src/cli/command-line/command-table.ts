import { ENDPOINT_SCOPES } from '../../contract/admin/policy.ts'
import { AGENT_COMMANDS } from './agent-commands.ts'
import { BATCH_COMMANDS } from './batch-commands.ts'
import { CATALOG_COMMANDS } from './catalog-commands.ts'
import { IMPORT_COMMANDS } from './import-commands.ts'
import { LIMIT_COMMANDS } from './limit-commands.ts'
import { PEOPLE_COMMANDS } from './people-commands.ts'
import { json, noUser, project, SETTINGS, user } from './shared-flags.ts'

// Every command, as data: the help, the parser, the suggestions for typing errors and docs/cli.md are made from this table.
// src/cli/cli.ts says which function does which command.

export type Flag = {
  type: 'string' | 'boolean'
  about: string
  /** What stands for the value in the help. */
  value?: string
  multiple?: true
  /** All values that it takes, if they are few. */
  choices?: readonly string[]
  /** The variable that the flag replaces for this command. */
  variable?: string
}

export type CommandSpec = {
  summary: string
  /** Further sentences for the help of the command. */
  details?: string
  /** Arguments without a name, all of them required. */
  operands?: readonly string[]
  /** An argument after them that may be left out. */
  optional?: string
  /** All values of the first argument, if they are few. */
  choices?: readonly string[]
  /** Whether it goes on until it is stopped, or asks questions: then the time that it takes is not shown. */
  isOpenEnded?: true
  flags: Readonly<Record<string, Flag>>
  examples: readonly string[]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const

const name = { type: 'string', value: 'NAME', about: 'the name that lists show' } as const
const REGIONS = ['global', 'eu', 'us'] as const
const region = {
  type: 'string',
  value: 'REGION',
  choices: REGIONS,
  about: 'global, eu or us: where models must be served',
} as const
const scope = {
  type: 'string',
  value: 'SCOPE',
  choices: [...ENDPOINT_SCOPES, 'model:'],
  multiple: true,
  about: 'what the key may use: chat, images, … or model:PATTERN; repeat it for more',
} as const
const expiresAt = {
  type: 'string',
  value: 'TIME',
  about: 'when the key expires, such as 2027-01-31T00:00:00Z',
} as const
const allowIp = {
  type: 'string',
  value: 'CIDR',
  multiple: true,
  about: 'a network or an address that may use the key; repeat it for more',
} as const

const SEE_LIST = '`gatehouse keys list` shows the ids of keys.'

export const COMMANDS = {
  serve: {
    summary: 'start the gateway; the default if no command is named',
    isOpenEnded: true,
    details: 'Flags win over environment variables, and those over the config file.',
    flags: {
      role: {
        type: 'string',
        value: 'ROLE',
        choices: ['all', 'api', 'worker'],
        about: 'all (default), api (no jobs) or worker (only jobs and webhooks)',
      },
      host: { type: 'string', value: 'ADDRESS', variable: 'HOST', about: 'the address of the API' },
      port: { type: 'string', value: 'PORT', variable: 'PORT', about: 'the port of the API; 0 picks a free one' },
      'admin-host': {
        type: 'string',
        value: 'ADDRESS',
        variable: 'ADMIN_HOST',
        about: 'the address of the admin listener',
      },
      'admin-port': { type: 'string', value: 'PORT', variable: 'ADMIN_PORT', about: 'the port of the admin listener' },
      ...SETTINGS,
    },
    examples: ['gatehouse serve --port 9000', 'gatehouse serve --config gateway.yaml --env-file .env'],
  },
  init: {
    summary: 'write a config file with comments',
    isOpenEnded: true,
    details:
      'On a terminal, the command asks a few questions. Without a terminal, or with --yes, it uses the flags and the defaults.',
    flags: {
      output: { type: 'string', value: 'FILE', about: 'the file to write; gatehouse.config.yaml by default' },
      host: { type: 'string', value: 'ADDRESS', about: 'the address of the API' },
      port: { type: 'string', value: 'PORT', about: 'the port of the API' },
      'data-dir': { type: 'string', value: 'FOLDER', about: 'the folder of the embedded database' },
      'database-url': { type: 'string', value: 'URL', about: 'a PostgreSQL address instead of the embedded database' },
      provider: { type: 'string', value: 'NAME', multiple: true, about: 'a provider to prepare; repeat it for more' },
      region,
      yes: { type: 'boolean', about: 'ask no questions' },
      force: { type: 'boolean', about: 'overwrite a file that exists' },
    },
    examples: ['gatehouse init', 'gatehouse init --yes --port 9000 --provider openai --provider anthropic'],
  },
  doctor: {
    summary: 'check the installation and say what to do',
    details:
      'The command checks the config, the database, the disk and the clock, and changes nothing. It exits with 1 if something is wrong.',
    flags: {
      providers: { type: 'boolean', about: 'also call every configured provider, and check its credential' },
      ...SETTINGS,
    },
    examples: ['gatehouse doctor', 'gatehouse doctor --providers'],
  },
  'keys create': {
    summary: 'create a key and show it once',
    flags: {
      name,
      kind: {
        type: 'string',
        value: 'KIND',
        choices: ['live', 'sandbox', 'admin'],
        about: 'live (default), sandbox or admin',
      },
      project: {
        ...project,
        about: 'the id of the project; without it, the key shares no files and no jobs with other keys',
      },
      owner: {
        type: 'string',
        value: 'OWNER',
        about: 'like --project, but a project that does not exist is created',
      },
      user,
      region,
      scope,
      'expires-at': expiresAt,
      'allow-ip': allowIp,
      ...SETTINGS,
    },
    examples: [
      'gatehouse keys create --name "my app" --owner team-a --scope chat --scope "model:openai/*"',
      'gatehouse keys create --name office --allow-ip 203.0.113.0/24 --allow-ip 2001:db8::/32',
    ],
  },
  'keys list': {
    summary: 'list all keys without their secrets',
    flags: { json, ...SETTINGS },
    examples: ['gatehouse keys list'],
  },
  'keys show': {
    summary: 'show everything about one key, except its secret',
    details: SEE_LIST,
    operands: ['ID'],
    flags: { json, ...SETTINGS },
    examples: ['gatehouse keys show 3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  },
  'keys update': {
    summary: 'change a key; running processes apply it within seconds',
    details: `Everything that no flag names stays as it is. ${SEE_LIST}`,
    operands: ['ID'],
    flags: {
      name,
      project,
      user,
      'no-user': noUser,
      region,
      scope: { ...scope, about: 'replaces the scopes; repeat it for more than one' },
      'all-scopes': { type: 'boolean', about: 'the key may use everything' },
      'expires-at': expiresAt,
      'never-expires': { type: 'boolean', about: 'the key does not expire' },
      'allow-ip': { ...allowIp, about: 'replaces the networks that may use the key; repeat it for more than one' },
      'any-ip': { type: 'boolean', about: 'the key may be used from everywhere' },
      ...SETTINGS,
    },
    examples: ['gatehouse keys update ID --name "new name"', 'gatehouse keys update ID --any-ip --never-expires'],
  },
  'keys rotate': {
    summary: 'replace the secret of a key and show the new one once',
    details: `The key keeps its id and its usage. Without --overlap, earlier secrets are refused at once. ${SEE_LIST}`,
    operands: ['ID'],
    flags: {
      overlap: {
        type: 'string',
        value: 'TIME',
        about: 'how long earlier secrets stay valid: 90s, 15m, 12h or 7d; at most 30d',
      },
      project,
      user,
      'no-user': noUser,
      ...SETTINGS,
    },
    examples: ['gatehouse keys rotate ID --overlap 1d'],
  },
  'keys revoke': {
    summary: 'revoke a key; all processes refuse the key within 5 s',
    details: SEE_LIST,
    operands: ['ID'],
    flags: SETTINGS,
    examples: ['gatehouse keys revoke 3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  },
  ...PEOPLE_COMMANDS,
  ...AGENT_COMMANDS,
  ...LIMIT_COMMANDS,
  ...IMPORT_COMMANDS,
  explain: {
    summary: 'show where a request would go and what it would cost, without sending it',
    details:
      'The command prints the models in order, the requests to each, and the cost. FILE has the body of a chat, or {"endpoint": "/v3/embeddings", "body": {…}}; - stands for standard input. The command reads the aliases, credentials and catalog of the store, as POST /admin/explain does.',
    operands: ['FILE'],
    flags: {
      key: { type: 'string', value: 'ID', about: 'explain the request for this key' },
      region: { ...region, about: 'explain the request for a key of this region' },
      ...SETTINGS,
    },
    examples: ['gatehouse explain body.json'],
  },
  logs: {
    summary: 'print the request log of a running gateway in readable lines',
    isOpenEnded: true,
    details:
      'The command asks the admin API with GATEHOUSE_ADMIN_KEY and prints the oldest call first. The filters are those of GET /admin/requests.',
    flags: {
      filter: {
        type: 'string',
        value: 'NAME=VALUE',
        multiple: true,
        about: 'only some calls: project=research, status=5xx, end_user=mia, tag=team=search; repeat it for more',
      },
      follow: { type: 'boolean', about: 'keep printing calls as they end' },
      lines: { type: 'string', value: 'NUMBER', about: 'the number of latest calls to print; 100 by default' },
      url: {
        type: 'string',
        value: 'URL',
        about: 'the address of the admin listener; by default, the address in the settings',
      },
      json,
      ...SETTINGS,
    },
    examples: ['gatehouse logs --filter failed=true', 'gatehouse logs --follow --filter project=research'],
  },
  ...BATCH_COMMANDS,
  ...CATALOG_COMMANDS,
  backup: {
    summary: 'copy the embedded database to a new file, also while the gateway runs',
    operands: ['FILE'],
    flags: SETTINGS,
    examples: ['gatehouse backup /backups/gatehouse.db'],
  },
  'ledger verify': {
    summary: 'check that the amount spent of each budget is the sum of its ledger lines; exits with 1 if it is not',
    flags: SETTINGS,
    examples: ['gatehouse ledger verify'],
  },
  demo: {
    summary: 'fill an empty data folder with a month of sample data',
    details:
      'The sample data has projects, people, keys, aliases, budgets, guardrails, thousands of calls, batches, jobs, webhooks and an audit log. It is the same every time. The ' +
      'command refuses a folder or a database that is not empty. Everyone in the demo signs in with the password "gatehouse demo".',
    flags: {
      days: { type: 'string', value: 'DAYS', about: 'the number of days that the demo covers; 30 by default' },
      ...SETTINGS,
    },
    examples: ['gatehouse demo --data-dir ./demo', 'gatehouse serve --data-dir ./demo'],
  },
  migrate: {
    summary: 'update the database schema and exit',
    flags: {
      ...SETTINGS,
    },
    examples: ['gatehouse migrate'],
  },
  'webhook-key': {
    summary: 'print the public key that verifies webhooks (RSA)',
    flags: SETTINGS,
    examples: ['gatehouse webhook-key > webhook-key.pem'],
  },
  'webhook-key ed25519': {
    summary: 'print the public key that verifies signed timestamps (Ed25519)',
    flags: SETTINGS,
    examples: ['gatehouse webhook-key ed25519'],
  },
  'webhook-key rotate': {
    summary: 'create new webhook keys; running processes use them within seconds',
    flags: SETTINGS,
    examples: ['gatehouse webhook-key rotate'],
  },
  completion: {
    summary: 'print a completion script for your shell',
    details:
      'bash reads it in ~/.bashrc: source <(gatehouse completion bash). zsh reads it in a folder of $fpath, in a file with the name _gatehouse; fish in ~/.config/fish/completions/gatehouse.fish.',
    operands: ['SHELL'],
    choices: SHELLS,
    flags: {},
    examples: [
      'source <(gatehouse completion bash)',
      'gatehouse completion zsh > ~/.zfunc/_gatehouse',
      'gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish',
    ],
  },
  version: {
    summary: 'print the version',
    flags: {},
    examples: ['gatehouse version'],
  },
} as const satisfies Record<string, CommandSpec>

export type CommandName = keyof typeof COMMANDS

type Flags<Name extends CommandName> = (typeof COMMANDS)[Name]['flags']
type ValueOf<F> = F extends { multiple: true } ? string[] : F extends { type: 'boolean' } ? boolean : string

/** What a person typed behind the name of a command. Every operand is there that may not be left out. */
export type Input<Name extends CommandName> = {
  values: { [Key in keyof Flags<Name>]?: ValueOf<Flags<Name>[Key]> }
  operands: string[]
}

export function specOf(name: CommandName): CommandSpec {
  return COMMANDS[name]
}

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[]
