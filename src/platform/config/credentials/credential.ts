import type { AwsIdentity, AwsKeys } from '../../../translation/wire/aws-identity.ts'
import { nameOfExchange, type TokenExchange } from '../../../translation/wire/token-exchange.ts'

/** A credential at a provider. */
export type Credential = {
  /** The name that targets are bound to. Several secrets of one variable share a name. */
  name?: string
  /** Sent in a header as it is. */
  secret: string | undefined
  weight: number
  aws?: AwsKeys
  /** Exchanged for short-lived AWS keys first. */
  awsIdentity?: AwsIdentity
  /** Exchanged for a token first. */
  exchange?: TokenExchange
  from?: CredentialSource
}

/** Where a credential comes from; `id` is that of a stored one. */
export type CredentialSource =
  | { kind: 'environment'; variable: string }
  | { kind: 'file'; path: string }
  | { kind: 'identity' }
  | { kind: 'store'; id: string }

/** A credential that the store keeps. `secret` is its text, as a variable would hold it. */
export type StoredCredential = { id: string; name: string; secret: string; weight: number }

/** How a credential is fetched for an identity. */
export type CloudAccess = Pick<Credential, 'awsIdentity' | 'exchange'>

/** What is known about stored credentials while a configuration is read. */
type Reading = { stored?: { credentials?: object } | undefined; isRefresh?: boolean | undefined }

/**
 * Whether a target can be bound to this name at the provider. A config file may name a credential of the store before the
 * store has been read. It also stays valid when an operator removes that credential: then calls to the target fail with an
 * error that says so.
 */
export function hasCredential(
  { credentials }: { credentials: readonly Credential[] },
  name: string,
  { stored, isRefresh = false }: Reading = { stored: { credentials: {} } },
): boolean {
  return isRefresh || stored?.credentials === undefined || credentials.some((credential) => credential.name === name)
}

/** Shows just enough for operators to tell their credentials apart; null if there is too little to show a part of it. */
export function endOf({ secret, aws, exchange }: Credential): string | null {
  const identifier = secret ?? aws?.accessKeyId ?? nameOfExchange(exchange) ?? ''
  return identifier.length > 12 ? identifier.slice(-4) : null
}
