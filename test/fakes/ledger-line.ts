import type { LedgerLine } from '../../src/platform/store/ledger/ledger-line.ts'

/** A line of the ledger. */
export function ledgerLine(parts: Partial<LedgerLine> = {}): LedgerLine {
  return {
    ...{ id: 'request', at: 1_000, keyId: 'key', endpoint: 'chat' },
    ...{ organization: 'default', project: 'project', ownerKind: 'project', ownerId: 'project' },
    ...{ model: 'model', provider: 'provider', status: 200, code: null, stream: false, attempts: 1 },
    ...{ promptTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 1, reasoningTokens: 0 },
    ...{ cost: 0, estimated: false, durationMs: 1, firstTokenMs: null },
    ...{ moreTokens: null, priceVersion: null, providerCost: null, charges: null },
    ...{ user: null, endUser: null, tags: null, requestedModel: null, detail: null },
    ...{ session: null, agent: null, parentAgent: null, client: null, batchId: null, tier: null },
    ...{ guardrails: null, guardrailsPassed: null },
    ...parts,
  }
}
