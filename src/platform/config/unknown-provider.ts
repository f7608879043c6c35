import { didYouMean } from '../../base/schema/nearest-name.ts'
import { ConfigError } from './config-error.ts'

/**
 * Settings of a section by `provider` or `provider/model`, or by another name after a divider. An unknown provider is a typo, which could
 * leave a region unprotected or a time unlimited.
 */
export function refuseUnknownProviders(
  section: string,
  settings: Readonly<Record<string, unknown>>,
  providers: Readonly<Record<string, unknown>>,
): void {
  for (const name in settings) {
    const [provider = ''] = name.split(/[/:]/, 1)
    if (!Object.hasOwn(providers, provider)) throw unknownProvider(`${section}.${name}`, provider, providers)
  }
}

/** `setting` is the path of the setting that names the provider. */
export function unknownProvider(
  setting: string,
  id: string,
  providers: Readonly<Record<string, unknown>>,
): ConfigError {
  return new ConfigError(`${setting}: there is no such provider.${didYouMean(id, Object.keys(providers))}`)
}
