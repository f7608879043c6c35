import type { HostSort } from '../../../contract/routing.ts'
import { costOf, type Tokens } from '../../../money/billing/token-buckets.ts'
import type { Catalog } from '../../../platform/catalog/catalog.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import type { Expected, SeenByOwner } from '../../attempts/observations.ts'
import { byAffinity } from '../../attempts/rotation.ts'
import { FAILING_ERROR_RATE } from '../router/score.ts'
import type { ResolvedModel } from './resolved-model.ts'

// Several providers may have the same model. They share its calls by price: a host at half of the price gets four times as many
// conversations. A conversation stays with its host, so the shares cannot depend on how long it has become.

/** Otherwise the conversations of the first host would all have the first credential. */
const UNLIKE_CREDENTIALS = 0x27d4eb2f

/** An agent reads about three tokens for each that it writes. */
const USUAL: Tokens = {
  plainInput: 3_000,
  plainOutput: 1_000,
  reasoning: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  audioOutput: 0,
  imageInput: 0,
  imageOutput: 0,
}

/** The wishes of a request, or of the name that it writes. */
export type HostWishes = {
  caller: Caller
  affinity?: (() => number) | undefined
  /** Every call goes to the best host by this, and not to a share of all. */
  sort?: HostSort | null | undefined
  /** What this request would cost; the price of a usual one if it is absent. */
  priceOf?: ((resolved: ResolvedModel) => number | null) | undefined
}

type Services = { catalog: Catalog; observations: SeenByOwner }

type Standing = { host: ResolvedModel; index: number; expected: Expected; price: number | null; weight: number }

/** The hosts of one model in the order in which a call tries them. Those that are failing come last, whatever they cost. */
export function hostsInOrder(
  hosts: readonly ResolvedModel[],
  { caller, affinity, sort, priceOf = usualPriceOf }: HostWishes,
  { catalog, observations }: Services,
): ResolvedModel[] {
  const seen = observations.seenBy(caller.owner)
  const standings = hosts.map((host, index) => {
    const price = sort ? priceOf(host) : usualPriceOf(host)
    return { host, index, expected: seen.of(host.id), price, weight: weightOf(price) }
  })
  const ordered = sort ? standings.sort(sortedBy(sort)) : shared(standings, affinity?.() ?? countedCall(catalog))
  const [failing, healthy] = [ordered.filter(isFailing), ordered.filter((standing) => !isFailing(standing))]
  return [...healthy, ...failing].map(({ host }) => host)
}

function isFailing({ expected }: Standing): boolean {
  return expected.errorRate > FAILING_ERROR_RATE
}

/** What costs nothing comes first, and what has no known price last: neither can be weighed against the others. */
function shared(standings: readonly Standing[], affinity: number): Standing[] {
  const among = (wanted: readonly Standing[]) => byAffinity(wanted, affinity ^ UNLIKE_CREDENTIALS)
  const free = standings.filter(({ price }) => price === 0)
  const priced = standings.filter(({ price }) => price !== null && price > 0)
  const unknown = standings.filter(({ price }) => price === null)
  return [...among(free), ...among(priced), ...among(unknown)]
}

function weightOf(price: number | null): number {
  return price ? price ** -2 : 1
}

/** Hosts that were not observed have the same figures, so the price decides between them; then the maker comes first. */
function sortedBy(sort: HostSort): (one: Standing, other: Standing) => number {
  return (one, other) =>
    FIGURES[sort](one) - FIGURES[sort](other) || dearness(one) - dearness(other) || one.index - other.index
}

/** The lower, the better. */
const FIGURES: Record<HostSort, (standing: Standing) => number> = {
  cost: () => 0,
  speed: ({ expected }) => -expected.tokensPerSecond,
  latency: ({ expected }) => expected.firstTokenMs,
  exact: ({ expected }) => expected.errorRate,
}

/** More than anything costs: two unknown prices are equal. */
function dearness({ price }: Standing): number {
  return price ?? Number.MAX_VALUE
}

function usualPriceOf({ entry, provider }: ResolvedModel): number | null {
  if (!entry) return provider.free || provider.simulated ? 0 : null
  const { price, per = {}, perImage } = entry
  if (price) return costOf(USUAL, price)
  return Object.values(per)[0] ?? perImage?.[0]?.usd ?? null
}

/** A call without a conversation counts as a conversation of its own. */
const counts = new WeakMap<Catalog, { calls: number }>()

function countedCall(catalog: Catalog): number {
  const count = counts.get(catalog) ?? { calls: 0 }
  counts.set(catalog, count)
  return count.calls++
}
