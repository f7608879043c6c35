import type { Catalog } from '../../../platform/catalog/catalog.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { Routing } from '../../../contract/routing.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import { type CandidatePool, type Granted, poolOf, type Selection } from './candidate-pool.ts'
import { decisionOf, type RoutingDecision } from './decision.ts'
import { difficultyOf } from './difficulty-of.ts'
import { namedCandidates } from './named-candidates.ts'
import { needsOf } from './needs-of.ts'
import { noCandidate } from './no-candidate.ts'
import type { Observations } from '../../attempts/observations.ts'
import { type RankingInput, rank } from './rank.ts'
import type { CircuitIsOpen, Refused } from './refusal.ts'
import { preferencesOf } from './preferences.ts'

/** The best model and three fallbacks, which is as many as a caller may name. */
const MAX_TARGETS = 4

export type RoutedRequest = ChatRequest & { routing?: Routing | null }

export type RoutingServices = {
  config: Pick<Config, 'providers'>
  catalog: Catalog
  observations: Observations
  circuitIsOpen: CircuitIsOpen
  /** Candidates that an alias names, for which a scope of the alias is enough. */
  granted?: Granted | undefined
  /** Candidates of the request that stand for nothing that could be ranked. */
  unrankable?: readonly Refused[] | undefined
  monotonic(): number
}

/** The router: which models are asked, best first, and why. It uses no network and waits for nothing. */
export function chooseTargets(
  request: RoutedRequest,
  caller: Caller,
  services: RoutingServices,
): { ids: string[]; decision: RoutingDecision } {
  const input = rankingInputOf(request, caller, services)
  const pool = poolOf(services.catalog, services.config.providers)
  const selection = selectionFor(request, caller, pool, services)
  const ranking = rank(selection.candidates, input, MAX_TARGETS)
  const refused = [...selection.refused, ...ranking.refused]
  if (ranking.eligible === 0) throw noCandidate(refused, selection.against)
  return {
    ids: ranking.best.map(({ candidate }) => candidate.id),
    decision: decisionOf(input, ranking, refused, request.router_candidates != null),
  }
}

function rankingInputOf(request: RoutedRequest, caller: Caller, services: RoutingServices): RankingInput {
  const needs = needsOf(request)
  return {
    needs,
    difficulty: difficultyOf(request, needs),
    serviceTier: request.service_tier ?? null,
    preferences: preferencesOf(request.routing, services.config.providers),
    observations: services.observations.seenBy(caller.owner),
    // A sandbox key never reaches the provider, so the provider's state does not matter to it.
    circuitIsOpen: caller.kind === 'sandbox' ? () => false : services.circuitIsOpen,
    at: services.monotonic(),
  }
}

function selectionFor(
  { router_candidates }: ChatRequest,
  caller: Caller,
  pool: CandidatePool,
  { granted, unrankable = [] }: RoutingServices,
): Selection {
  if (!router_candidates) return pool.defaultsFor(caller)
  // Only if nothing is left of them is an empty list not the mistake of the caller.
  const named = unrankable.length > 0 && router_candidates.length === 0
  const { candidates, unknown } = named ? NOTHING : namedCandidates(router_candidates, pool)
  const selection = pool.select(candidates, caller, granted)
  return { ...selection, refused: [...unrankable, ...unknown, ...selection.refused] }
}

const NOTHING = { candidates: [], unknown: [] }
