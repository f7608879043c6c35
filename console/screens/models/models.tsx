import type { ComponentType } from 'preact'
import { may } from '../../api/session.ts'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Views } from '../../parts/views.tsx'
import { Aliases } from './aliases.tsx'
import { Catalog } from './catalog/catalog.tsx'
import { ModelPage } from './catalog/model-page.tsx'
import { ProviderPage } from './provider/provider-page.tsx'
import { Providers } from './provider/providers.tsx'

const VIEWS: Readonly<Record<string, string>> = { '': 'Providers', catalog: 'Models', aliases: 'Aliases' }
const LISTS: Readonly<Record<string, ComponentType>> = { '': Providers, catalog: Catalog, aliases: Aliases }

/** Who answers: providers with their keys, the models, and own names for them. A provider and a model have a page of their own. */
export default function Models() {
  const { query } = useQuery()
  if (query.model && !query.view) return <ModelPage key={query.model} id={query.model} />
  if (!may('config.read')) return <OwnModels />
  if (query.provider && !query.view) return <ProviderPage key={query.provider} id={query.provider} />
  const view = query.view !== undefined && Object.hasOwn(LISTS, query.view) ? query.view : ''
  const List = LISTS[view]!
  return (
    <>
      <ScreenHead title="Models and providers">
        <Views path="/models" views={VIEWS} shown={view} />
      </ScreenHead>
      <List />
    </>
  )
}

/** People who do not run the gateway see what their projects may use. */
function OwnModels() {
  return (
    <>
      <ScreenHead title="Models" />
      <p class="faint page-note">
        Everything that your projects can call, with list prices. Aliases are names that your admins have set.
      </p>
      <Catalog />
    </>
  )
}
