import type { Config } from '../config/config.ts'
import type { Credential, Provider } from '../config/provider-settings.ts'

/** Takes the place of every secret. What contains it is left out of an explanation. */
export const PLACEHOLDER = 'placeholder-of-a-credential'

/** Configurations never change, and the router remembers what it knows about their providers. */
const known = new WeakMap<Config, Config>()

/** The configuration of a dry run, in which no provider has a secret that could be shown, exchanged or used. */
export function withoutSecrets(config: Config): Config {
  const bare = known.get(config) ?? bareConfig(config)
  known.set(config, bare)
  return bare
}

function bareConfig(config: Config): Config {
  const rows = Object.entries(config.providers).map(([id, provider]) => [id, bareProvider(provider)] as const)
  return { ...config, providers: Object.fromEntries(rows) }
}

function bareProvider(provider: Provider): Provider {
  const { credentials, serviceCredential, addressCredential: _, ...row } = provider
  const bare = (credential: Credential) => bareCredential(credential, provider)
  return {
    ...row,
    credentials: credentials.map(bare),
    ...(serviceCredential && { serviceCredential: bare(serviceCredential) }),
  }
}

/** Requests to AWS are signed, which shows in headers only: without a key they stay as they are. */
function bareCredential({ secret, aws: _, awsIdentity: __, exchange, ...rest }: Credential, { auth }: Provider) {
  const isSecret = (secret ?? exchange) !== undefined && auth.scheme !== 'aws'
  return { ...rest, secret: isSecret ? PLACEHOLDER : undefined }
}
