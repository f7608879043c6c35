const config = {
  type: 'string',
  value: 'FILE',
  variable: 'GATEHOUSE_CONFIG',
  about: 'the config file, JSON or YAML',
} as const
const dataDir = {
  type: 'string',
  value: 'FOLDER',
  variable: 'DATA_DIR',
  about: 'the folder of the embedded database',
} as const
/** Read by src/cli/command-line/settings-flags.ts. */
const envFile = {
  type: 'string',
  value: 'FILE',
  multiple: true,
  about: 'a file with NAME=value lines; environment variables override it, and later files override earlier ones',
} as const
/** The flags of every command that reads the settings. */
export const SETTINGS = { config, 'data-dir': dataDir, 'env-file': envFile } as const

export const json = { type: 'boolean', about: 'print JSON; lists have one object per line' } as const

/** Where a key belongs. */
export const project = { type: 'string', value: 'ID', about: 'the id of the project that the key joins' } as const
export const user = {
  type: 'string',
  value: 'ID',
  about: 'the id of the person or the service account that uses the key',
} as const
export const noUser = { type: 'boolean', about: 'the key belongs to no person and no service account' } as const
