import type { ComponentType } from 'preact'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Views } from '../../parts/views.tsx'
import { Aliases } from './aliases.tsx'
import { Catalog } from './catalog.tsx'
import { Providers } from './providers.tsx'

const VIEWS = { '': 'Providers', catalog: 'Models', aliases: 'Aliases' }
const LISTS: Record<string, ComponentType> = { '': Providers, catalog: Catalog, aliases: Aliases }

/** Who answers: providers with their keys, the models of the catalog, and own names for them. */
export default function Models() {
  const { query } = useQuery()
  const view = query.view && query.view in LISTS ? query.view : ''
  const List = LISTS[view]!
  return (
    <>
      <ScreenHead title="Models and providers">
        <Views path="/models" views={VIEWS} />
      </ScreenHead>
      <List />
    </>
  )
}
