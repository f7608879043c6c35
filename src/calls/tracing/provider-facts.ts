import type { AttemptRecord } from '../attempt-record.ts'

/** What the spans and metrics of an attempt say about its provider. */
type ProviderFacts = { readonly name: string; readonly address: string | null; readonly port: number | null }

export function factsOf({ provider, providerRow }: AttemptRecord): ProviderFacts {
  return { name: providerRow.conventionName ?? provider, ...addressOf(providerRow.baseUrl) }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Engines and the sandbox are inside of the gateway and have no address. */
function addressOf(baseUrl: string): Pick<ProviderFacts, 'address' | 'port'> {
  const { hostname, port, protocol } = URL.parse(baseUrl) ?? {}
  const usual = DEFAULT_PORTS[protocol ?? '']
  if (!hostname || usual === undefined) return { address: null, port: null }
  return { address: hostname, port: port ? Number(port) : usual }
}

const MAX_MODEL_CHARS = 200

/** The model as its provider calls it: `gpt-4o-mini`, and not `openai/gpt-4o-mini`. */
export function modelOf({ model, provider }: Pick<AttemptRecord, 'model' | 'provider'>): string {
  const own = model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model
  return own.length <= MAX_MODEL_CHARS ? own : own.slice(0, MAX_MODEL_CHARS)
}
