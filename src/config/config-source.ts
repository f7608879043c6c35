import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isRecord } from '../schema/record.ts'
import type { CatalogUpdate } from '../catalog/catalog-update.ts'
import type { StoredCredentials } from './provider-settings.ts'
import { ConfigError, named } from './config-error.ts'

export type Environment = Record<string, string | undefined>

/** `path` is undefined if there is no config file. */
export type ConfigFile = { path: string | undefined; content: Readonly<Record<string, unknown>> }

/** What operators have put into the store while the gateway runs. A member is undefined until the store has been read. */
export type StoredConfig = { credentials?: StoredCredentials; catalog?: CatalogUpdate | undefined }

/** What a configuration is made from. */
export type ConfigSource = {
  environment: Environment
  file: ConfigFile
  stored?: StoredConfig
  /** The config file is as it was, and only something in the store or in a file with a credential has changed. */
  isRefresh?: boolean
}

const DEFAULT_FILE = 'gatehouse.config.json'

/** Reads the file that `GATEHOUSE_CONFIG` names, or the default file if it exists. */
export function readSource(environment: Environment): ConfigSource {
  const requested = environment.GATEHOUSE_CONFIG
  const file = requested || DEFAULT_FILE
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!requested && code === 'ENOENT') return { environment, file: { path: undefined, content: {} } }
    throw new ConfigError(`${file}: cannot be read (${code})`)
  }
  return { environment, file: { path: resolve(file), content: named(file, () => parse(text)) } }
}

/** The only place that knows in which format the file is written. */
function parse(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (isRecord(value)) return value
  throw new ConfigError('should be a JSON object')
}
