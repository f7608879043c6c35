import { ConfigError } from '../config-error.ts'
import type { ConfigSource } from '../config-source.ts'
import { hasCredential } from '../credentials/credential.ts'
import { providerNamed } from '../provider-named.ts'
import type { Provider } from '../provider-settings.ts'
import { type Alias, type AliasFault, type AliasTarget, hasParams } from './alias.ts'
import { defaultFaults } from './default-faults.ts'
import { targetProvider } from './target-provider.ts'

/** Names with other characters could not be sent in a header, or would name the router. */
const NAME = /^[\x21-\x3f\x41-\x7e][\x21-\x7e]*$/

/** What the schema of an alias cannot say. */
export function aliasFaults(
  name: string,
  alias: Alias,
  providers: Record<string, Provider>,
  source: ConfigSource,
): AliasFault[] {
  const faults = nameFaults(name)
  for (const [index, target] of alias.targets.entries()) {
    const found = targetFaults(name, target, providers, source)
    faults.push(...found.map(({ path, msg }) => ({ path: ['targets', index, ...path], msg })))
  }
  for (const [index, fallback] of (alias.fallbacks ?? []).entries()) {
    if (fallback === name) faults.push({ path: ['fallbacks', index], msg: 'an alias cannot be its own fallback' })
    if (fallback.startsWith('@')) faults.push({ path: ['fallbacks', index], msg: 'the router cannot be a fallback' })
  }
  return [...faults, ...defaultFaults(alias.defaults ?? {})]
}

function nameFaults(name: string): AliasFault[] {
  if (!NAME.test(name)) return [{ path: [], msg: 'the name should be ASCII without spaces, and not begin with @' }]
  return stars(name) > 1 ? [{ path: [], msg: 'the name should have at most one *' }] : []
}

function targetFaults(
  name: string,
  target: AliasTarget,
  providers: Record<string, Provider>,
  source: ConfigSource,
): AliasFault[] {
  const { model, credential } = target
  if (model.startsWith('@')) return [{ path: ['model'], msg: 'the router cannot be a target' }]
  if (stars(model) > stars(name))
    return [{ path: ['model'], msg: 'a * stands for what the * in the name of the alias stands for' }]
  const slash = model.indexOf('/')
  const provider = slash > 0 ? providerNamed(model.slice(0, slash), providers) : undefined
  if (provider) return [...credentialFaults(target, provider, source), ...paramFaults(target, provider, source)]
  if (!hasParams(target) && credential === undefined) return []
  return [{ path: ['model'], msg: 'should be provider/model: a credential and an address belong to a provider' }]
}

function credentialFaults({ credential }: AliasTarget, provider: Provider, source: ConfigSource): AliasFault[] {
  if (credential === undefined || hasCredential(provider, credential, source)) return []
  return [{ path: ['credential'], msg: `${provider.name} has no credential of this name` }]
}

function paramFaults(target: AliasTarget, provider: Provider, source: ConfigSource): AliasFault[] {
  try {
    targetProvider(target, provider, source)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return [{ path: [], msg: error.message }]
    throw error
  }
}

function stars(text: string): number {
  return text.split('*').length - 1
}
