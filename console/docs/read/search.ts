import type { OpenApiDocument } from '../../../src/contract/openapi/document.ts'
import type { Listed } from './document.ts'
import { walkFields } from './fields.ts'
import { type GuideSource, type Section, sectionsOf } from './guides.ts'

/** An operation, or a part of a guide, with everything that it is found by, in lower case. */
type Entry = { name: string; fields: readonly string[]; texts: string } & ({ listed: Listed } | { section: Section })
/** `field` is the one that was found, if neither the name nor the path was. */
export type Found = { listed: Listed; field?: string } | { section: Section }
type SearchIndex = readonly Entry[]

const MOST = 40

type Searched = { operations: readonly Listed[]; document: OpenApiDocument; guides: readonly GuideSource[] }

export function searchIndex({ operations, document, guides }: Searched): SearchIndex {
  const sections = guides.flatMap(sectionsOf).map(sectionEntry)
  return [...operations.map((listed) => entryOf(listed, document)), ...sections]
}

export function sectionEntry(section: Section): Entry {
  return { section, fields: [], texts: section.texts, name: `${section.title} ${section.heading}`.toLowerCase() }
}

/** Where a result leads. */
export function foundPlace(found: Found): string {
  return 'section' in found ? found.section.place : found.listed.id
}

/** Every word has to be found. What is in a name or a path comes before what is in a field, and that before descriptions. */
export function search(index: SearchIndex, query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const ranked = index.flatMap((entry) => {
    const ranks = words.map((word) => rankOf(entry, word))
    return ranks.includes(0) ? [] : [{ entry, rank: ranks.reduce((sum, rank) => sum + rank, 0) }]
  })
  ranked.sort((one, other) => other.rank - one.rank)
  return ranked.slice(0, MOST).map(({ entry }) => foundOf(entry, words))
}

function rankOf({ name, fields, texts }: Entry, word: string): number {
  if (name.includes(word)) return 8
  if (fields.includes(word)) return 4
  if (fields.some((field) => field.includes(word))) return 2
  return texts.includes(word) ? 1 : 0
}

function foundOf(entry: Entry, words: readonly string[]): Found {
  if ('section' in entry) return { section: entry.section }
  const { listed, name, fields } = entry
  const word = words.find((one) => !name.includes(one))
  const field = word && (fields.find((one) => one === word) ?? fields.find((one) => one.includes(word)))
  return field ? { listed, field } : { listed }
}

function entryOf(listed: Listed, document: OpenApiDocument): Entry {
  const { operation, method, path, id, group } = listed
  const [fields, texts] = [new Set<string>(), [operation.description ?? '']]
  const visit = (name: string, description: string) => {
    fields.add(name.toLowerCase())
    texts.push(description)
  }
  for (const { name, description = '' } of operation.parameters ?? []) visit(name, description)
  const replies = Object.values(operation.responses).map((reply) => ('content' in reply ? reply.content : undefined))
  for (const content of [operation.requestBody?.content, ...replies])
    for (const { schema } of Object.values(content ?? {})) if (schema) walkFields(schema, document, visit)
  const name = [method, path, id, operation.summary, group].join(' ').toLowerCase()
  return { listed, name, fields: [...fields], texts: texts.join(' ').toLowerCase() }
}
