import { withoutSecrets } from './without-secrets.ts'

/** Also keys and tokens that were fetched for an identity and are in no configuration: those of AWS and Google, and JWTs. */
const SECRET_LIKE =
  /\b(?:sk|pk|key|gsk|xai|AIza|AKIA|ASIA)[-_A-Za-z0-9*]{12,}|\bya29\.[-\w.]+|\beyJ[-\w]{10,}\.[-\w.]{10,}|\bBearer\s+\S+/g
const ADDRESS = /\b(?:https?|wss?):\/\/[^\s"'<>)]+/g
const MAX_MESSAGE_CHARS = 2_000

type RequestView = { secrets: readonly string[]; baseUrl: string }

/**
 * A provider's message without our credentials, in whatever form they are written, and without the address of the provider.
 */
export function redacted(message: string, { secrets, baseUrl }: RequestView): string {
  const withoutKeys = withoutSecrets(message, secrets).replace(SECRET_LIKE, '[redacted]')
  const withoutAddresses = withoutKeys.replace(ADDRESS, '[address]')
  const host = URL.parse(baseUrl)?.hostname
  const shown = host ? withoutAddresses.replaceAll(host, '[address]') : withoutAddresses
  return shown.slice(0, MAX_MESSAGE_CHARS)
}
