import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isRecord } from '../../base/schema/record.ts'
import type { CatalogUpdate } from '../catalog/catalog-update.ts'
import type { StoredMcpServer } from './mcp/server-entry.ts'
import type { StoredCredentials } from './provider-settings.ts'
import { ConfigError, named } from './config-error.ts'
import type { Environment } from './environment.ts'
import { readJson } from './read-json.ts'
import { readYaml } from './read-yaml.ts'

/** `path` is undefined if there is no config file. */
export type ConfigFile = { path: string | undefined; content: Readonly<Record<string, unknown>> }

/** What operators have put into the store while the gateway runs. A member is undefined until the store has been read. */
export type StoredConfig = {
  credentials?: StoredCredentials
  catalog?: CatalogUpdate | undefined
  mcpServers?: readonly StoredMcpServer[]
}

/** What a configuration is made from. */
export type ConfigSource = {
  environment: Environment
  file: ConfigFile
  stored?: StoredConfig
  /** The config file is as it was, and only something in the store or in a file with a credential has changed. */
  isRefresh?: boolean
}

/** Used if `GATEHOUSE_CONFIG` names no file. Only one of them may exist. */
export const DEFAULT_FILES = ['gatehouse.config.json', 'gatehouse.config.yaml', 'gatehouse.config.yml'] as const

/** Reads the file that `GATEHOUSE_CONFIG` names, or the default file if it exists. */
export function readSource(environment: Environment): ConfigSource {
  const file = environment.GATEHOUSE_CONFIG || defaultFile()
  if (file === undefined) return { environment, file: { path: undefined, content: {} } }
  const text = readText(file)
  return { environment, file: { path: resolve(file), content: named(file, () => parse(text, file)) } }
}

function defaultFile(): string | undefined {
  const present = DEFAULT_FILES.filter((name) => existsSync(name))
  if (present.length < 2) return present[0]
  throw new ConfigError(`${present.join(' and ')} both exist. Remove one of them, or name one with GATEHOUSE_CONFIG.`)
}

/** Some editors begin a file with a mark that is no part of its text. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const advice = code === 'ENOENT' ? '. Check the path in GATEHOUSE_CONFIG or --config' : ''
    throw new ConfigError(`${file}: cannot be read (${code})${advice}`)
  }
}

/** The only place that knows in which format the file is written. */
function parse(text: string, file: string): Record<string, unknown> {
  const isYaml = /\.ya?ml$/i.test(file)
  const value = isYaml ? readYaml(text) : readJson(text)
  if (isRecord(value)) return value
  throw new ConfigError(isYaml ? 'should have settings such as port: 8080' : 'should be a JSON object')
}
