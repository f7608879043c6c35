import type { ConfigSource } from '../config-source.ts'
import type { AliasTarget } from './alias.ts'
import { type Provider, rowOf } from '../provider-settings.ts'

/**
 * Whether a target of the admin API would send a credential of the provider to another host. A person who may create aliases
 * need not know the credentials, and could receive them at an address of their choice. So another host needs the config file.
 */
export function leaksCredential({ baseUrl }: AliasTarget, provider: Provider, source: ConfigSource): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false
  const hasSecret = provider.credentials.length > 0 || provider.addressCredential !== undefined
  return hasSecret && !isOwnHost(baseUrl, provider, source)
}

/** Whether the address belongs to the provider: it is the one in use, or that of another customer or region of it. */
export function isOwnHost(address: string, provider: Provider, { file }: ConfigSource): boolean {
  const { origin, protocol, host } = new URL(address)
  if (origin === URL.parse(provider.baseUrl)?.origin) return true
  const row = rowOf(provider.id, file.content.providers)
  const params = Object.values(row?.params ?? {}).flatMap(({ baseUrls = {} }) => Object.values(baseUrls))
  const templates = [row?.baseUrl ?? '', ...params]
  return protocol === 'https:' && templates.some((template) => hostPattern(template)?.test(host))
}

/** A parameter is one label of the host, so that `evil.example/x.openai.azure.com` is no host of Azure. */
function hostPattern(template: string): RegExp | undefined {
  const host = /^https:\/\/([^/]+)/.exec(template)?.[1]
  if (!host) return undefined
  const parts = host.split(/\{\w+\}/).map((part) => part.replaceAll(/[^a-z0-9-]/gi, '\\$&'))
  return new RegExp(`^${parts.join('[a-z0-9-]+')}$`, 'i')
}
