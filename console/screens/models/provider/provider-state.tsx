import type { ProviderState } from '../../../../src/contract/admin/providers.ts'

type State = ProviderState['state']

const LOOKS: Readonly<Record<State, { text: string; look: string; hint: string }>> = {
  ready: { text: 'Ready', look: 'status good', hint: 'The provider answers.' },
  untested: {
    text: 'Set up',
    look: 'status',
    hint: 'Has a credential, but answered no request in the last 24 hours.',
  },
  partly_failing: { text: 'Partly failing', look: 'status warn', hint: 'Some credentials are paused after failures.' },
  failing: { text: 'Failing', look: 'status bad', hint: 'All credentials are paused after failures.' },
  not_reachable: { text: 'Not reachable', look: 'status bad', hint: 'The server does not answer.' },
  not_set_up: { text: 'Not set up', look: 'faint', hint: 'Needs a credential or an address.' },
}

/** A failure is one only of what an operator has set up. */
export function StateOf({ of: provider }: { of: ProviderState }) {
  const { state, simulated } = provider
  const { text, look, hint } = LOOKS[state]
  return (
    <span class={isInUse(provider) ? look : 'faint'} title={hint}>
      {simulated ? `${text}, simulated` : text}
    </span>
  )
}

export function hintOf(state: State): string {
  return LOOKS[state].hint
}

/** The names of the variables to set. */
export function missingText({ missing, missing_all: isAll, missing_for: what }: ProviderState): string {
  if (missing.length === 0) return ''
  return `${missing.join(isAll ? ' and ' : ' or ')}${what === 'address' ? ' (address)' : ''}`
}

/** A local server that is not there, and that no operator has set up, is an offer like any other provider. */
export function isInUse({ configured, state, local, address_set: isMoved, credentials }: ProviderState): boolean {
  if (!configured) return false
  return !(local && state === 'not_reachable' && !isMoved && credentials.length === 0)
}
