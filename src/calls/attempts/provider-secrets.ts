import type { Credential, Provider } from '../../platform/config/provider-settings.ts'
import { nameOfExchange } from '../../translation/wire/token-exchange.ts'

const SHORTEST_PART_CHARS = 4

/**
 * What no text of a provider may show. These are all of its credentials, because a text about one may quote another one that was refused
 * before; their parts are as secret as the whole.
 */
export function providerSecrets({ credentials, serviceCredential, addressCredential }: Provider): string[] {
  const all = serviceCredential ? [...credentials, serviceCredential] : credentials
  return [...all.flatMap(secretsIn), ...(addressCredential?.secrets ?? [])].filter((secret) => secret !== '')
}

function secretsIn({ secret = '', aws, exchange }: Credential): string[] {
  const parts = secret.includes(':') ? secret.split(':').filter(({ length }) => length >= SHORTEST_PART_CHARS) : []
  const ofCloud = [aws?.accessKeyId, aws?.secretAccessKey, aws?.sessionToken, nameOfExchange(exchange)]
  return [secret, ...parts, ...ofCloud.map((one) => one ?? '')]
}
