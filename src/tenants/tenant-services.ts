import type { KeyCache } from './access/key-cache.ts'
import type { Config } from '../platform/config/config.ts'
import type { JwtCallers } from './jwt/jwt-callers.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import type { OidcClients } from './sign-in/oidc/client.ts'
import type { HashingServices } from './sign-in/password-hash.ts'
import type { Opened } from '../platform/late.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { AliasTable } from '../platform/config/aliases/alias-table.ts'
import type { Ground } from '../platform/ground.ts'

/** What is needed to find out who asks, and to manage organizations, projects, people, keys, credentials and aliases. */
export type TenantServices = Ground &
  HashingServices & {
    config: Config
    aliases: AliasTable
    files: { blobs: BlobStore }
    /** What projects keep of calls: asks the store which projects want that now. */
    contents: { refresh(): Promise<void> }
    keyCache: KeyCache
    /** Callers with tokens of issuers that the config file names, and what follows changes for them. */
    jwtCallers: JwtCallers
    jwt: { use(config: Config): void; look(): Promise<void>; close(): void }
    /** The clients of the providers that people sign in with. */
    oidcClients: OidcClients
    /** What encrypts secrets in the store. */
    secrets: Opened<Secrets>
    /** Reads the guardrails of the store, if they have changed. */
    refreshGuardrails(): Promise<void>
    /** Reads the aliases of the store, if they have changed. */
    refreshAliases(): Promise<void>
    /** Applies what operators have changed in the store, and returns the configuration then. Other processes do so within seconds. */
    refreshStored(): Promise<Config>
  }
