import type { Config } from '../../platform/config/config.ts'
import type { Credential, Provider } from '../../platform/config/provider-settings.ts'

/** Take the places of a user and of a key, for providers that send them in different places. */
const PLACEHOLDERS = ['hidden-user-of-the-operator', 'hidden-key-of-the-operator']

/** Whether a part of a request would have a secret. It is left out of an explanation. */
export function hasSecret(text: string): boolean {
  return PLACEHOLDERS.some((one) => text.includes(one))
}

/** Configurations never change, and the router remembers what it knows about their providers. */
const bareConfigs = new WeakMap<Config, Config>()

/**
 * The configuration of a dry run, in which no provider has a credential that could be shown, exchanged or used. Secrets in addresses are
 * left out when a request is shown.
 */
export function withoutSecrets(config: Config): Config {
  const bare = bareConfigs.get(config) ?? bareConfig(config)
  bareConfigs.set(config, bare)
  return bare
}

function bareConfig(config: Config): Config {
  const rows = Object.entries(config.providers).map(([id, provider]) => [id, bareProvider(provider)] as const)
  return { ...config, providers: Object.fromEntries(rows) }
}

function bareProvider(provider: Provider): Provider {
  const { credentials, serviceCredential } = provider
  const bare = (credential: Credential) => bareCredential(credential, provider)
  return {
    ...provider,
    credentials: credentials.map(bare),
    ...(serviceCredential && { serviceCredential: bare(serviceCredential) }),
  }
}

/** Requests to AWS are signed, which shows in headers only: without a key they stay as they are. */
function bareCredential({ secret, aws: _, awsIdentity: __, exchange, ...rest }: Credential, { auth }: Provider) {
  const isSecret = (secret ?? exchange) !== undefined && auth.scheme !== 'aws'
  return { ...rest, secret: isSecret ? PLACEHOLDERS.join(':') : undefined }
}
