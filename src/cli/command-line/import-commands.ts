import { json, SETTINGS } from './shared-flags.ts'

const importFlags = {
  out: { type: 'string', value: 'FILE', about: 'the config file to write; gatehouse.config.json by default' },
  secrets: {
    type: 'string',
    value: 'FILE',
    about: 'the file for secrets, with mode 0600; gatehouse.secrets.env by default',
  },
  apply: { type: 'boolean', about: 'write what is shown; without it, nothing is written' },
  'dry-run': { type: 'boolean', about: 'write nothing, and show what would happen; the default' },
  force: { type: 'boolean', about: 'overwrite files that exist with other content' },
  json,
} as const

/** Taking over what another gateway or project has. */
export const IMPORT_COMMANDS = {
  'import litellm': {
    summary: "import LiteLLM's config.yaml, and the keys, teams, budgets and users of its database",
    details:
      'The command shows what would happen to every setting, and writes nothing without --apply. Callers keep their keys. Secrets go into a file of their own and are never shown.',
    operands: ['CONFIG.YAML'],
    flags: {
      database: {
        type: 'string',
        value: 'URL',
        variable: 'LITELLM_DATABASE_URL',
        about: "LiteLLM's PostgreSQL database, which is only read; its content goes into the database of Gatehouse",
      },
      ...importFlags,
      ...SETTINGS,
    },
    examples: [
      'gatehouse import litellm config.yaml',
      'LITELLM_DATABASE_URL=postgres://… gatehouse import litellm config.yaml --env-file .env --apply',
    ],
  },
  'import env': {
    summary: 'list the providers that can be used with the variables of a .env file',
    details:
      'The command writes a config file for variables that have another name in Gatehouse, and nothing without --apply.',
    operands: ['FILE'],
    flags: { out: importFlags.out, apply: importFlags.apply, force: importFlags.force, json },
    examples: ['gatehouse import env .env'],
  },
  'import check': {
    summary: 'explain every alias of the config file, and list what is missing',
    details: 'The command calls no provider. It exits with 1 if a target cannot be called or a variable is not set.',
    flags: SETTINGS,
    examples: ['gatehouse import check --env-file gatehouse.secrets.env'],
  },
} as const
