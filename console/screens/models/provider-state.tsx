import type { ProviderState } from '../../../src/contract/admin/providers.ts'

export function StateOf({ of: { configured, simulated, credentials } }: { of: ProviderState }) {
  const failing = credentials.filter(({ state }) => state === 'failing').length
  if (!configured) return <span class="faint">not set up</span>
  if (failing > 0)
    return <span class="status bad">{failing === credentials.length ? 'failing' : 'partly failing'}</span>
  return <span class="status good">{simulated ? 'ready, simulated' : 'ready'}</span>
}

/** The names of the variables to set. */
export function missingText({ missing, missing_all: isAll, missing_for: what }: ProviderState): string {
  if (missing.length === 0) return ''
  return `${missing.join(isAll ? ' and ' : ' or ')}${what === 'address' ? ' (its address)' : ''}`
}
