import { didYouMean } from '../../base/schema/nearest-name.ts'
import { ConfigError } from './config-error.ts'

/** `setting` is the path of the setting that names the provider. */
export function unknownProvider(
  setting: string,
  id: string,
  providers: Readonly<Record<string, unknown>>,
): ConfigError {
  return new ConfigError(`${setting}: there is no such provider.${didYouMean(id, Object.keys(providers))}`)
}
