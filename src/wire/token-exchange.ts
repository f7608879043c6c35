/** A credential that opens nothing itself: it is exchanged for a token that lives a while. */
export type TokenExchange = ServiceAccount | KeyExchange

/** Google: a statement signed with the account's key. */
export type ServiceAccount = { kind: 'google'; clientEmail: string; privateKey: string; tokenUrl: string }

/** IBM and Sber: the key itself is shown, in the way of each. */
export type KeyExchange = { kind: KeyExchangeKind; secret: string; tokenUrl: string; scope?: string | undefined }

export type KeyExchangeKind = 'ibm' | 'gigachat'

/** The part of it that a provider may quote: told to nobody, and by its end an operator knows it. */
export function nameOfExchange(exchange: TokenExchange | undefined): string | undefined {
  return exchange?.kind === 'google' ? exchange.clientEmail : exchange?.secret
}
