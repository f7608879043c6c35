import type { PlacedBlock } from '../wire/answer.ts'
import type { Note } from '../dialects/chat-codec.ts'
import { Notes } from '../dialects/notes.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { partName } from './part-name.ts'
import { rawBlocks, StepReader } from './step-reader.ts'

// A chat carries everything that a provider answers. Other formats have no shape for some of it: that is noted.

/** What a format shows of an answer, beside its text. */
type Shown = {
  name: string
  /** The maker whose blocks the format shows unchanged. */
  maker?: string
  /** Steps of all makers have a form in this format, and items of the responses format have one. */
  steps?: true
  items?: true
  /** Fields of a message that the format has a place for. */
  fields: ReadonlySet<string>
  /** Whether the format shows a source of the answer. */
  source(annotation: Fields): boolean
}

/** Fields of a message that are parts of the answer. */
const FIELDS = ['reasoning_content', 'tool_calls', 'images', 'audio', 'executed_tools'] as const
const MESSAGE = 'message'
const BLOCKS = `${MESSAGE}.provider_content`
/** The most sources that a format shows of an answer. */
export const MAX_SOURCES = 1_000

const SHOWN = {
  responses: {
    name: 'responses',
    steps: true,
    items: true,
    fields: new Set(['reasoning_content', 'tool_calls', 'executed_tools']),
    source: () => true,
  },
  messages: {
    name: 'messages',
    maker: 'anthropic',
    steps: true,
    fields: new Set(['reasoning_content', 'tool_calls', 'executed_tools']),
    source: ({ type }) => type === 'url_citation' || type === 'document_citation',
  },
  gemini: {
    name: 'Gemini',
    maker: 'gemini',
    fields: new Set(['reasoning_content', 'tool_calls', 'images', 'audio']),
    source: ({ url_citation }) => textOf(recordOf(url_citation).url) !== '',
  },
  cohere: {
    name: 'Cohere',
    maker: 'cohere',
    fields: new Set(['reasoning_content', 'tool_calls']),
    source: () => true,
  },
  completions: { name: 'text completions', fields: new Set(), source: () => false },
} satisfies Record<string, Shown>

/** Formats of clients other than chat completions. */
export type OtherFormat = keyof typeof SHOWN
export const OTHER_FORMATS = Object.keys(SHOWN) as OtherFormat[]

/** Whether the format has a form for what the gateway did while a model answered. Chat completions have `provider_content`. */
export function showsSteps(format: OtherFormat | undefined): boolean {
  return format === undefined || 'steps' in SHOWN[format]
}

/** Notes about what a client does not see of a message, or of a piece of one, because its format has no shape for it. */
export function unseenIn(message: Fields, format: OtherFormat): readonly Note[] {
  const hasFields = FIELDS.some((field) => message[field])
  if (!hasFields && !message.annotations && !message.provider_content) return NONE
  const shown: Shown = SHOWN[format]
  const notes = new Notes()
  const reason = `the format of ${shown.name} cannot show it`
  for (const field of FIELDS)
    if (isPresent(message[field]) && !shown.fields.has(field)) notes.dropped(`${MESSAGE}.${field}`, reason)
  const sources = recordsIn(message.annotations)
  for (const source of sources)
    if (!shown.source(source)) notes.dropped(partName(`${MESSAGE}.annotations`, source.type), reason)
  if (sources.length > MAX_SOURCES && format !== 'responses')
    notes.dropped(`${MESSAGE}.annotations`, `only the first ${MAX_SOURCES} sources are shown`)
  for (const name of unseenBlocks(message.provider_content, shown)) notes.dropped(partName(BLOCKS, name), reason)
  return notes.list
}

function isPresent(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

/** The names of the blocks that the format does not show. */
function unseenBlocks(content: unknown, { maker, steps, items }: Shown): string[] {
  const { type, blocks } = recordOf(content)
  if (type === undefined || type === maker) return []
  const reader = new StepReader()
  const isRead = (placed: PlacedBlock) => (placed.type === 'responses' ? items : steps && reader.takes(placed))
  const unread = rawBlocks(content).filter((placed) => !isRead(placed))
  // What Google says about its sources, beyond the annotations.
  const metadata = type === 'gemini' ? recordsIn(blocks).filter((block) => block.type === 'metadata') : []
  return [...unread.map(({ block }) => nameOf(block)), ...metadata.map(nameOf)]
}

/** Blocks have a type, except for those that are named by their only member. */
function nameOf(block: Fields): string {
  return textOf(block.type) || (Object.keys(block)[0] ?? '')
}

const NONE: readonly Note[] = []
