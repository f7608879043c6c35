import { closed, mapOf, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { checkSection } from './section.ts'

const Engine = Type.String({ minLength: 1, maxLength: 100 })
const When = words(['missing', 'always'])

const Settings = Type.Object(
  {
    engine: Engine,
    fallback: Type.Optional(Engine),
    when: Type.Optional(When),
    /** Project ids. */
    projects: Type.Optional(mapOf(words(['missing', 'always', 'never']))),
  },
  closed,
)

/** When the gateway searches: for models that cannot, for all models, or for none. */
export type SearchWhen = 'missing' | 'always' | 'never'

export type SearchSettings = {
  /** Providers of the task `web/search`. The second one is asked if the first one fails. */
  engine: string
  fallback: string | undefined
  when: SearchWhen
  /** What is different for single projects. */
  projects: Readonly<Record<string, SearchWhen>>
}

/** Reads `search` of the config file. */
export function readSearch(value: unknown): SearchSettings | undefined {
  if (value === undefined) return undefined
  checkSection('search', Settings, value)
  const { engine, fallback, when = 'missing', projects = {} } = value as Static<typeof Settings>
  return { engine, fallback, when, projects }
}
