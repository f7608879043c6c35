import { endOf } from '../../platform/config/credentials/credential.ts'
import type { Credential } from '../../platform/config/provider-settings.ts'
import type { CallServices } from '../services/call-services.ts'
import type { Opened } from '../../platform/late.ts'
import type { WatchedTargets } from '../../contract/admin/operations.ts'

// What operators see of providers: which are set up with which keys, which have open circuits and why, how fast they are.

type ThisProcess = { processName: string; replica: Opened<{ peers(): readonly { id: string; role: string }[] }> }

export function watchTargets(
  { config, circuits, observations }: Pick<CallServices, 'config' | 'circuits' | 'observations'>,
  { processName, replica }: ThisProcess,
): WatchedTargets {
  const peers = replica.current?.peers() ?? []
  const providers = Object.values(config.providers).filter(({ configured }) => configured)
  return {
    process: processName,
    other_processes: peers.map(({ id, role }) => ({ process: id, role })),
    providers: providers.map(({ id, name, credentials }) => ({ id, name, credentials: credentials.map(masked) })),
    circuits: circuitsShown({ circuits }, processName),
    observed: observations.targets.map((model) => ({
      model,
      ...figuresOf(model, { observations }),
      samples: Math.round(observations.of(model).samples),
    })),
  }
}

export function circuitsShown(
  { circuits }: Pick<CallServices, 'circuits'>,
  processName: string,
): WatchedTargets['circuits'] {
  return circuits.list().map(({ name, forEveryone, openOwners, retryInMs, learnedFrom, ...circuit }) => {
    const [model = '', credential] = name.split(' #')
    return {
      model,
      credential: Number(credential),
      ...circuit,
      for_everyone: forEveryone,
      open_owners: openOwners,
      retry_in_ms: retryInMs,
      process: learnedFrom ?? processName,
    }
  })
}

/** Null where nothing was observed: there is only an assumption. */
export function speedOf(model: string, services: Pick<CallServices, 'observations'>) {
  if (services.observations.targets.includes(model)) return figuresOf(model, services)
  return { first_token_ms: null, tokens_per_second: null, error_rate: null }
}

function figuresOf(model: string, { observations }: Pick<CallServices, 'observations'>) {
  const { firstTokenMs, tokensPerSecond, errorRate } = observations.of(model)
  return {
    first_token_ms: Math.round(firstTokenMs),
    tokens_per_second: Math.round(tokensPerSecond),
    error_rate: Math.round(errorRate * 1_000) / 1_000,
  }
}

function masked(credential: Credential, index: number) {
  return { index, name: credential.name ?? null, ends_with: endOf(credential), weight: credential.weight }
}
