import type { WireRequest } from '../../wire/wire.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageCall, ImageInput } from '../image-codec.ts'
import { type FormPart, formBody } from '../form-body.ts'
import { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { keepWritten, writeJson, writeMember } from '../../json/written-numbers.ts'

/** The values of older models, which most callers use. */
const QUALITIES: ReadonlyMap<string | undefined, string> = new Map([
  ['standard', 'medium'],
  ['hd', 'high'],
])

/** Recognises the family by its name, which other hosts keep. */
export function isGptImage(model: string): boolean {
  return /(^|\/)(chat)?gpt-image/i.test(model)
}

export function encodeImages(call: ImageCall, target: Target): { wire: WireRequest; notes: Notes['list'] } {
  const notes = new Notes()
  const fields = withFieldRules(fieldsOf(call, target.model, notes), target, notes)
  const wire = call.mode === 'edit' ? editRequest(fields, call) : generationRequest(fields)
  return { wire: { method: 'POST', ...wire, url: `${target.baseUrl}${wire.url}` }, notes: notes.list }
}

function generationRequest(fields: Fields) {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return { url: '/images/generations', headers, body: writeJson(fields) }
}

/** Always a form: every provider of this format accepts it, and it is a third smaller than base64. */
function editRequest(fields: Fields, { images, mask }: ImageCall) {
  const name = images.length > 1 ? 'image[]' : 'image'
  const files = images.map((image, index) => fileEntry(name, image, ['images', index]))
  if (mask) files.push(fileEntry('mask', mask, ['mask']))
  const { contentType, ...form } = formBody([...formFields(fields), ...files])
  return { url: '/images/edits', headers: { 'content-type': contentType, accept: 'application/json' }, ...form }
}

/** The caller's additions never replace fields that the gateway has read, checked and priced. */
function fieldsOf({ extra, prompt, n, size, quality, responseFormat }: ImageCall, model: string, notes: Notes): Fields {
  const options = { model, prompt, n, size, quality, response_format: responseFormat }
  if (isGptImage(model)) sayItItsWay(options, notes)
  const present = Object.entries({ ...extra, ...options }).filter(([, value]) => value !== undefined)
  return keepWritten(Object.fromEntries(present), extra)
}

type ImageOptions = { quality: string | undefined; response_format: string | undefined }

function sayItItsWay(options: ImageOptions, notes: Notes): void {
  const quality = QUALITIES.get(options.quality)
  if (quality) notes.translated('quality', `this model uses "${quality}" for "${options.quality}"`)
  options.quality = quality ?? options.quality
  if (options.response_format === 'url')
    notes.translated('response_format', 'this model sends only base64: the gateway stores the image')
  options.response_format = undefined
}

function withFieldRules(fields: Fields, { fieldRules }: Target, notes: Notes): Fields {
  const renamed = { ...fields }
  for (const field of fieldRules?.drop ?? []) {
    if (!Object.hasOwn(renamed, field)) continue
    delete renamed[field]
    notes.dropped(field, 'this provider refuses it')
  }
  for (const [field, other] of Object.entries(fieldRules?.rename ?? {})) {
    if (!Object.hasOwn(renamed, field)) continue
    renamed[other] = renamed[field]
    delete renamed[field]
    notes.renamed(field, `this provider calls it ${other}`)
  }
  return renamed
}

function fileEntry(name: string, image: ImageInput, loc: (string | number)[]): FormPart {
  if ('url' in image) throw cannotTake(loc, 'this provider accepts images as bytes only')
  return [name, image]
}

/** Lists and objects become `name[]` and `name[key]`; a form cannot express null. */
function formFields(holder: object, name = ''): FormPart[] {
  return Object.entries(holder).flatMap(([key, value]): FormPart[] => {
    const path = Array.isArray(holder) ? `${name}[]` : name ? `${name}[${key}]` : key
    if (value === null || value === undefined) return []
    if (typeof value === 'object') return formFields(value, path)
    return [[path, typeof value === 'number' ? writeMember(holder, key) : String(value)]]
  })
}
