import type { Logger } from 'pino'
import type { Clock } from '../platform/ground.ts'
import type { JwtIssuer } from '../platform/config/auth/auth.ts'
import type { Config } from '../platform/config/config.ts'
import { type IssuerDocuments, openIssuerDocuments } from '../tenants/jwt/issuer-documents.ts'
import { IssuerKeys } from '../tenants/jwt/issuer-keys.ts'
import { JwtCallers } from '../tenants/jwt/jwt-callers.ts'
import { readKeys } from '../tenants/jwt/read-keys.ts'
import { StoredTokenCallers } from '../tenants/jwt/token-callers.ts'
import { OidcClients } from '../tenants/sign-in/oidc/client.ts'
import type { Database } from '../platform/store/database.ts'
import type { Send } from '../translation/wire/wire.ts'

type Needs = Clock & { db: Database; send: Send; log: Logger }

/** What accepts tokens of issuers instead of keys, and signs people in. Without an issuer in the config file, it does nothing. */
export function openIssuers(config: Config, { db, send, log, now, monotonic }: Needs) {
  let active = config
  const callers = new StoredTokenCallers({ db, monotonic, region: () => active.region })
  const documents = openIssuerDocuments(send)
  const failed = (issuer: string, reason: string) =>
    log.warn({ issuer, reason }, 'an issuer does not answer as it should')
  const keysOf = issuerKeys({ documents, monotonic, failed })
  const jwtCallers = new JwtCallers({ now, monotonic, keysOf, callers })
  const use = (next: Config) => {
    active = next
    jwtCallers.replace(next.auth.jwt)
    if (jwtCallers.isOpen) callers.start()
    else callers.close()
  }
  use(config)
  const oidcClients = new OidcClients({ documents, monotonic, failed })
  return { jwtCallers, oidcClients, jwt: { use, look: () => callers.look(), close: () => callers.close() } }
}

type KeyNeeds = { documents: IssuerDocuments; monotonic(): number; failed(issuer: string, reason: string): void }

/** Entries of the config file with the same issuer share its keys. A reload keeps the keys that are known. */
function issuerKeys({ documents, monotonic, failed }: KeyNeeds): (entry: JwtIssuer) => IssuerKeys {
  const keysByName = new Map<string, IssuerKeys>()
  return (entry) => {
    const { issuer, keys } = entry
    const name = JSON.stringify([issuer, keys])
    const read = () => readKeys(entry, documents)
    const found =
      keysByName.get(name) ?? new IssuerKeys({ read, monotonic, failed: (reason) => failed(issuer, reason) })
    keysByName.set(name, found)
    return found
  }
}
