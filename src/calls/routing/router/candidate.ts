import type { Model, Price } from '../../../platform/catalog/catalog.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import { regionsOfModel } from '../../../platform/providers/model-regions.ts'
import type { Region } from '../../../platform/providers/provider.ts'
import { type Abilities, abilitiesOf } from './abilities-of.ts'
import { maskOf } from './ability.ts'

/** A model as the router sees it, with everything that is known before a request arrives. */
export type Candidate = {
  /** `provider/model` */
  id: string
  provider: string
  isChat: boolean
  regions: readonly Region[]
  /** The abilities that it lacks, as a mask. */
  lacking: number
  /** The abilities that it may or may not have, as a mask. */
  unsure: number
  reasoning: boolean
  quality: number
  context: number | null
  output: number | null
  price: Price | null
}

export function candidateOf(provider: Provider, name: string, entry: Model | undefined): Candidate {
  const { lacks, unsure, reasoning, quality } = knownAbilities(entry, provider)
  return {
    id: `${provider.id}/${name}`,
    provider: provider.id,
    isChat: entry === undefined || entry.type === 'chat',
    regions: entry?.regions ?? regionsOfModel(provider, name, undefined),
    lacking: maskOf(lacks),
    unsure: maskOf(unsure),
    reasoning,
    quality,
    context: entry?.context ?? null,
    output: entry?.output ?? null,
    price: entry?.price ?? null,
  }
}

/** The known abilities of a provider's model. */
export function knownAbilities(entry: Model | undefined, provider: Provider): Abilities {
  return abilitiesOf(isSilent(entry, provider) ? undefined : entry)
}

/** The config file may add a model without saying what it can do. That does not mean that it can do nothing. */
function isSilent(entry: Model | undefined, { models = [] }: Provider): boolean {
  return entry?.can.length === 0 && models.some(({ id }) => id === entry.id)
}
