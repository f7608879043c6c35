import type { AwsIdentity } from './aws-identity.ts'

/** A credential that cannot be used directly: it is exchanged for a short-lived token. */
export type TokenExchange = ServiceAccount | KeyExchange | MachineIdentity | GoogleFederation | AzureFederation

/** Google: a statement that is signed with the account's key. */
export type ServiceAccount = { kind: 'google'; clientEmail: string; privateKey: string; tokenUrl: string }

/** IBM and Sber: the key itself is sent, in the format of the provider. */
export type KeyExchange = { kind: KeyExchangeKind; secret: string; tokenUrl: string; scope?: string | undefined }

type KeyExchangeKind = 'ibm' | 'gigachat'

/** The metadata server of the machine hands out tokens to every program on it that sends these headers. */
export type MachineIdentity = {
  kind: 'google-machine' | 'azure-machine'
  tokenUrl: string
  headers: Readonly<Record<string, string>>
}

/** Google's workload identity federation: a token of another identity provider is exchanged for one of Google's. */
export type GoogleFederation = {
  kind: 'google-federation'
  tokenUrl: string
  audience: string
  subjectTokenType: string
  subject: SubjectToken
  /** Where to get the token of the service account that the workload acts as, if it acts as one. */
  impersonationUrl?: string | undefined
}

/** Where the token of the other identity provider is. `field` is its member if the text is JSON. */
export type SubjectToken =
  | { file: string; field?: string | undefined }
  | { url: string; headers: Readonly<Record<string, string>>; field?: string | undefined }
  | { aws: AwsIdentity; region: string; verificationUrl: string }

/** Azure's workload identity: a token that the cluster writes to a file is exchanged for one of Azure's. */
export type AzureFederation = { kind: 'azure-federation'; tokenUrl: string; clientId: string; tokenFile: string }

/** The part of the credential that a provider may quote. It is never shown to callers; operators recognise it by its end. */
export function nameOfExchange(exchange: TokenExchange | undefined): string | undefined {
  if (exchange === undefined) return undefined
  if (exchange.kind === 'google') return exchange.clientEmail
  if ('secret' in exchange) return exchange.secret
  return exchange.kind === 'azure-federation' ? exchange.clientId : undefined
}
