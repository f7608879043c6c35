import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import type { Environment } from './environment.ts'

/** Where a secret is, as an entry of the config file says it: `<name>Env` names a variable, `<name>File` a file. */
type SecretSource = { variable: string | undefined; file: string | undefined }

/** Undefined if the entry names neither. `path` leads to the secret, without `Env` or `File`. */
export function readNamedSecret(source: SecretSource, path: string, environment: Environment): string | undefined {
  const { variable, file } = source
  if (file !== undefined) return readSecretFile(file, `${path}File`)
  if (variable === undefined) return undefined
  const secret = environment[variable]
  if (!secret) throw new ConfigError(`${path}Env: the variable ${variable} is not set`)
  return secret
}

function readSecretFile(file: string, path: string): string {
  try {
    const secret = readFileSync(file, 'utf8').trim()
    if (secret !== '') return secret
  } catch {
    throw new ConfigError(`${path}: the file cannot be read`)
  }
  throw new ConfigError(`${path}: the file is empty`)
}
