import { nearestName } from '../../../base/schema/nearest-name.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import { problem } from '../../../contract/problems.ts'
import { isInRegion } from '../../../platform/providers/model-regions.ts'
import { isMaker } from '../../../platform/providers/providers.ts'
import { type Caller, mayUseModel } from '../../../tenants/access/caller.ts'
import { shortened } from '../router/shortened.ts'
import type { ModelServices } from './resolved-model.ts'
import { nearestModels, type Nearness } from './nearest-names.ts'

const MANY_PROVIDERS = 12
const MAX_NEAREST = 5
const MAX_COMPARED = 200

/** Names the models with the most similar names, or the providers if there are none. */
export function unknownModel(name: string, caller: Caller, services: ModelServices) {
  const near = nearestTo(name, caller, services)
  const meant = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : meantProvider(name, services)
  const message =
    `There is no model '${shortened(name)}'.${meant} A model is named provider/model; providers that are set up here: ` +
    `${namesOf(services.config.providers)}. GET /v3/models lists the models.`
  return problem('model_not_found', { message, param: 'model' })
}

/** The catalog does not have all models, so the provider alone may be wrong. */
function meantProvider(name: string, { config: { providers } }: ModelServices): string {
  const slash = name.indexOf('/')
  const nearest = slash > 0 ? nearestName(name.slice(0, slash), Object.keys(providers)) : undefined
  return nearest === undefined || name.startsWith(`${nearest}/`) ? '' : ` Did you mean a model of ${nearest}?`
}

/** Only what this key may use. Models that can be called now come first, and makers before hosts. */
function nearestTo(name: string, caller: Caller, { config, catalog }: ModelServices): string[] {
  const near = nearestModels(name, catalog.list(), MAX_COMPARED).filter(({ model }) => {
    return isInRegion(caller.region, model.regions) && mayUseModel(caller, `${model.provider}/${model.id}`)
  })
  near.sort((one, other) => one.distance - other.distance || rankOf(one) - rankOf(other))
  return near.slice(0, MAX_NEAREST).map(({ model }) => `${model.provider}/${model.id}`)

  function rankOf({ model: { provider } }: Nearness): number {
    return (config.providers[provider]?.configured ? 0 : 2) + (isMaker(provider) ? 0 : 1)
  }
}

function namesOf(providers: Record<string, Provider>): string {
  const ready = Object.values(providers).filter(({ configured }) => configured)
  const names = (ready.length > 0 ? ready : Object.values(providers)).map((provider) => provider.id)
  const more = names.length > MANY_PROVIDERS ? ` and ${names.length - MANY_PROVIDERS} more` : ''
  return names.slice(0, MANY_PROVIDERS).join(', ') + more
}
