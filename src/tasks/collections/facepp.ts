import Type from '../../schema/type.ts'
import { askForJson } from '../http/ask-provider.ts'
import { declined } from '../http/declined.ts'
import { ignoreCode } from '../http/ignore-code.ts'
import { type Fields, formPayload } from '../http/payload.ts'
import { replyReader } from '../http/reply-reader.ts'
import type { TaskFile, Tools } from '../feature.ts'
import { FACEPP_PROOF, faceppImage } from '../vendors/facepp.ts'
import type { Collections } from './collections.ts'

// https://console.faceplusplus.com/documents/6329329 and after: facesets, under a name of our own. A picture is looked at
// first; of the faces that were found, a faceset takes five at a time. One that is in no faceset is forgotten after three days.

const THERE_ALREADY = 'FACESET_EXIST'
const NOT_THERE = 'INVALID_OUTER_ID'
const FACES_AT_ONCE = 5

const readFound = replyReader(Type.Object({ faces: Type.Array(Type.Object({ face_token: Type.String() })) }))
const Refused = Type.Array(Type.Object({ face_token: Type.String(), reason: Type.Optional(Type.String()) }))
const readAdded = replyReader(Type.Object({ face_added: Type.Integer(), failure_detail: Type.Optional(Refused) }))
const readSet = replyReader(Type.Object({ outer_id: Type.String() }))

const collections: Collections = {
  async create(tools, id) {
    await ignoreCode(THERE_ALREADY, ask(tools, '/faceset/create', { outer_id: id }, readSet))
  },
  async remove(tools, id) {
    await ignoreCode(NOT_THERE, ask(tools, '/faceset/delete', { outer_id: id, check_empty: 0 }, readSet))
  },
  async addItems(tools, id, image) {
    const { faces } = await ask(tools, '/detect', {}, readFound, [faceppImage(image)])
    const tokens = faces.map(({ face_token }) => face_token)
    const added: string[] = []
    try {
      for (let start = 0; start < tokens.length; start += FACES_AT_ONCE)
        added.push(...(await addTokens(tools, id, tokens.slice(start, start + FACES_AT_ONCE))))
      return added
    } catch (error) {
      await takeBack(tools, id, added)
      throw error
    }
  },
  async removeItem(tools, id, face) {
    await ignoreCode(NOT_THERE, ask(tools, '/faceset/removeface', { outer_id: id, face_tokens: face }, readSet))
  },
}

export default collections

async function addTokens(tools: Tools, id: string, tokens: string[]): Promise<string[]> {
  const fields = { outer_id: id, face_tokens: tokens.join(',') }
  const { failure_detail = [] } = await ask(tools, '/faceset/addface', fields, readAdded)
  const refused = new Map(failure_detail.map(({ face_token, reason }) => [face_token, reason]))
  const added = tokens.filter((token) => !refused.has(token))
  if (added.length > 0) return added
  throw declined(
    `the collection took none of the faces (${[...refused.values()][0] ?? 'it is full'})`,
    422,
    'not_added',
  )
}

/** The caller is told that nothing was added: nobody could name these faces to remove them. */
async function takeBack(tools: Tools, id: string, added: readonly string[]): Promise<void> {
  if (added.length === 0) return
  const unhurried = { ...tools, signal: new AbortController().signal }
  const fields = { outer_id: id, face_tokens: added.join(',') }
  await ask(unhurried, '/faceset/removeface', fields, readSet).catch(() => undefined)
}

async function ask<Reply>(
  tools: Tools,
  path: string,
  fields: Fields,
  read: (value: unknown) => Reply,
  files: { field: string; file: TaskFile }[] = [],
): Promise<Reply> {
  return await askForJson(tools, { path, payload: await formPayload(fields, files), proof: FACEPP_PROOF }, read)
}
