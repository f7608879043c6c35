import type { Logger } from 'pino'
import type { CallServices } from '../calls/services/call-services.ts'
import type { Credential } from '../platform/config/provider-settings.ts'

/**
 * Fetches what the identities of the cloud need before the first call needs it, without holding up the start. The log says
 * which provider has no identity after all: the machine may have no metadata server, or no role.
 */
export function fetchIdentities(
  { config, accessTokens }: Pick<CallServices, 'config' | 'accessTokens'>,
  log: Pick<Logger, 'warn'>,
): void {
  for (const { id, credentials, serviceCredential } of Object.values(config.providers)) {
    for (const credential of [...credentials, ...(serviceCredential ? [serviceCredential] : [])]) {
      fetchIdentity(credential, accessTokens)?.catch((error) => {
        log.warn({ provider: id, reason: String(error.message) }, 'the identity of this machine cannot be used yet')
      })
    }
  }
}

function fetchIdentity({ awsIdentity, exchange, from }: Credential, accessTokens: CallServices['accessTokens']) {
  if (awsIdentity) return accessTokens.awsKeysFor(awsIdentity)
  return exchange && from?.kind === 'identity' ? accessTokens.tokenFor(exchange) : undefined
}
