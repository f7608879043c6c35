/** A credential that cannot be used directly: it is exchanged for a short-lived token. */
export type TokenExchange = ServiceAccount | KeyExchange

/** Google: a statement that is signed with the account's key. */
export type ServiceAccount = { kind: 'google'; clientEmail: string; privateKey: string; tokenUrl: string }

/** IBM and Sber: the key itself is sent, in the format of the provider. */
export type KeyExchange = { kind: KeyExchangeKind; secret: string; tokenUrl: string; scope?: string | undefined }

export type KeyExchangeKind = 'ibm' | 'gigachat'

/** The part of the credential that a provider may quote. It is never shown to callers; operators recognise it by its end. */
export function nameOfExchange(exchange: TokenExchange | undefined): string | undefined {
  return exchange?.kind === 'google' ? exchange.clientEmail : exchange?.secret
}
